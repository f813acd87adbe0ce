package main_test

import (
	"net/netip"
	"testing"
	"time"
)

// TestKubernetes: the pods run without root on a read-only file system, are probed where the program answers, and may
// end as they need to.
func TestKubernetes(t *testing.T) {
	t.Parallel()
	byKind := map[string]node{}
	for _, name := range []string{"kubernetes/florin.yaml", "kubernetes/migrate.yaml"} {
		for _, d := range documents(t, name) {
			kind, _ := d.at("kind").v.(string)
			byKind[kind] = d
			d.at("metadata", "namespace").is(t, kind+": namespace", "florin")
		}
	}
	wait := load(t, environ(byKind["ConfigMap"].at("data"), "/run/florin/", makeSecrets(t))).DrainWait
	for _, kind := range []string{"Deployment", "Job"} {
		t.Run(kind, func(t *testing.T) {
			pod := byKind[kind].at("spec", "template", "spec")
			pod.at("securityContext", "runAsNonRoot").is(t, "runAsNonRoot", true)
			pod.at("automountServiceAccountToken").is(t, "automountServiceAccountToken", false)
			pod.at("enableServiceLinks").is(t, "enableServiceLinks", false) // its variables are no settings
			container := pod.at("containers", 0)
			container.at("securityContext", "readOnlyRootFilesystem").is(t, "readOnlyRootFilesystem", true)
			container.at("securityContext", "allowPrivilegeEscalation").is(t, "allowPrivilegeEscalation", false)
			container.at("securityContext", "capabilities", "drop", 0).is(t, "capabilities.drop", "ALL")
		})
	}
	deployment := byKind["Deployment"].at("spec")
	pod := deployment.at("template", "spec")
	grace, _ := pod.at("terminationGracePeriodSeconds").v.(uint64)
	allowed(t, "terminationGracePeriodSeconds", time.Duration(grace)*time.Second, wait)
	deployment.at("strategy", "rollingUpdate", "maxUnavailable").is(t, "maxUnavailable", uint64(0))
	ready := pod.at("containers", 0, "readinessProbe")
	ready.at("httpGet", "path").is(t, "readinessProbe", "/readyz")
	period, _ := ready.at("periodSeconds").v.(uint64)
	failures, _ := ready.at("failureThreshold").v.(uint64)
	if within := time.Duration(period*failures) * time.Second; within == 0 || within >= wait {
		t.Errorf("a pod that stops is noticed within %v, and serves on for %v", within, wait)
	}
	pod.at("containers", 0, "livenessProbe", "httpGet", "path").is(t, "livenessProbe", "/livez")
	pod.at("containers", 0, "startupProbe", "httpGet", "path").is(t, "startupProbe", "/livez")
	selector := deployment.at("selector", "matchLabels", "app.kubernetes.io/name")
	for kind, path := range map[string][]any{
		"Service": {"spec", "selector"}, "PodDisruptionBudget": {"spec", "selector", "matchLabels"},
		"NetworkPolicy": {"spec", "podSelector", "matchLabels"},
	} {
		byKind[kind].at(path...).at("app.kubernetes.io/name").is(t, kind, selector.v)
	}
	proxies, _ := byKind["ConfigMap"].at("data", "FLORIN_TRUSTED_PROXIES").v.(string)
	if p, err := netip.ParsePrefix(proxies); err != nil || p.Bits() < 24 {
		t.Errorf("X-Forwarded-For is believed of %q, more than the ingress controller (%v)", proxies, err)
	}
	from := byKind["NetworkPolicy"].at("spec", "ingress", 0, "from", 0)
	from.at("namespaceSelector", "matchLabels", "kubernetes.io/metadata.name").
		is(t, "who reaches the pods", "ingress-nginx")
	byKind["PodDisruptionBudget"].at("spec", "minAvailable").is(t, "minAvailable", uint64(1))
}
