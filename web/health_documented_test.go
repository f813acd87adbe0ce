package web

import (
	"reflect"
	"strings"
	"testing"

	docspages "github.com/florinpay/florin/web/docs"
)

// Every field of GET /health is documented, at any depth.
func TestOpenAPI_Health(t *testing.T) {
	t.Parallel()
	d, err := newBundle(t).server.docs.OpenAPI()
	must(t, err)
	checked := 0
	var check func(of reflect.Type, s docspages.Schema, path string)
	check = func(of reflect.Type, s docspages.Schema, path string) {
		switch s = resolved(d, s); of.Kind() {
		case reflect.Pointer:
			check(of.Elem(), s, path)
		case reflect.Slice:
			if s.Items == nil {
				t.Errorf("%s is no list of anything", path)
				return
			}
			check(of.Elem(), *s.Items, path+"[]")
		case reflect.Map:
			if s.Values == nil {
				t.Errorf("%s has no schema of its values", path)
				return
			}
			check(of.Elem(), *s.Values, path+".*")
		case reflect.Struct:
			for i := range of.NumField() {
				name, _, _ := strings.Cut(of.Field(i).Tag.Get("json"), ",")
				if name == "" {
					continue // a moment, which is a text
				}
				checked++
				field, ok := s.Properties[name]
				if !ok || field.Description == "" && field.Ref == "" {
					t.Errorf("%s.%s is not documented", path, name)
					continue
				}
				check(of.Field(i).Type, field, path+"."+name)
			}
		}
	}
	check(reflect.TypeFor[healthReport](), d.Components.Schemas["Health"], "Health")
	if checked < 30 {
		t.Errorf("only %d fields were checked", checked)
	}
}

func resolved(d *docspages.Document, s docspages.Schema) docspages.Schema {
	if s.Ref == "" {
		return s
	}
	return d.Components.Schemas[strings.TrimPrefix(s.Ref, docspages.SchemaPrefix)]
}
