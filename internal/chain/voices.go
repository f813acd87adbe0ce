package chain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Voices returns how many opinions the endpoints are: those of one voice are one.
func Voices(endpoints []EndpointHealth) int { return len(byVoice(endpoints)) }

// OneVoice says which of the endpoints are one opinion, for operators; empty if each is one of its own.
func OneVoice(endpoints []EndpointHealth) string {
	var shared []string
	for _, names := range byVoice(endpoints) {
		if last := len(names) - 1; last > 0 {
			shared = append(shared, fmt.Sprintf("%s and %s are one provider and count as one endpoint",
				strings.Join(names[:last], ", "), names[last]))
		}
	}
	return strings.Join(shared, "; ")
}

// TooFew says which endpoints fail where those that answer are too few to agree; empty where they are not, and where
// none answers.
func TooFew(endpoints []EndpointHealth) string {
	var fail []string
	answer := slices.DeleteFunc(slices.Clone(endpoints), func(e EndpointHealth) bool {
		if !e.Healthy {
			fail = append(fail, e.Name+": "+cmp.Or(e.Reason, "it does not answer"))
		}
		return !e.Healthy
	})
	if len(answer) == 0 || Voices(answer) >= Quorum(Voices(endpoints)) {
		return ""
	}
	return fmt.Sprintf("%d of %d endpoints fail: %s", len(fail), len(endpoints), strings.Join(fail, "; "))
}

// byVoice returns the names of the endpoints of each voice.
func byVoice(endpoints []EndpointHealth) (names [][]string) {
	var voices []string
	for _, e := range endpoints {
		voice := cmp.Or(e.Voice, e.Name)
		i := slices.Index(voices, voice)
		if i < 0 {
			i, voices, names = len(voices), append(voices, voice), append(names, nil)
		}
		names[i] = append(names[i], e.Name)
	}
	return names
}
