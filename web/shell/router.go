package shell

import (
	"net/http"
	"slices"

	"github.com/labstack/echo/v4"
)

// route is what the shell knows of a route.
type route struct {
	render    Renderer
	unlimited bool // it is not counted by PerClient
	anyOrigin bool // pages of other sites may read its answers
	posts     bool // of them, what a page of another site may post to
}

// routeKey names a route by method and path, or by path alone. Every request asks by it, so it is not one text.
type routeKey struct{ method, path string }

// Router adds the routes of one surface to the Echo application. Echo's own
// groups are not used: a group with middleware handles every path below it,
// and hides that a route exists with another method.
type Router struct {
	shell      *Shell
	echo       *echo.Echo
	route      route
	middleware []echo.MiddlewareFunc
}

// Router returns a router whose routes render errors as Negotiated does.
func (s *Shell) Router(e *echo.Echo) Router {
	return Router{shell: s, echo: e, route: route{render: Negotiated}}
}

// Renders returns a router whose routes render their errors with f.
func (r Router) Renders(f Renderer) Router {
	r.route.render = f
	return r
}

// Unlimited returns a router whose routes PerClient does not count.
func (r Router) Unlimited() Router {
	r.route.unlimited = true
	return r
}

// AnyOrigin returns a router whose answers, refusals included, pages of other
// sites may read. They get no more than anyone does: a browser sends neither a key
// nor a cookie with such a request.
func (r Router) AnyOrigin() Router {
	r.route.anyOrigin = true
	return r
}

// With returns a router whose routes run behind the middleware.
func (r Router) With(m ...echo.MiddlewareFunc) Router {
	r.middleware = append(slices.Clip(r.middleware), m...)
	return r
}

// Read adds a route for GET and for HEAD, which monitors and link previews send.
func (r Router) Read(path string, h echo.HandlerFunc) {
	r.GET(path, h)
	r.add(http.MethodHead, path, h)
}

// GET adds a route for GET alone.
func (r Router) GET(path string, h echo.HandlerFunc) { r.add(http.MethodGet, path, h) }

// POST adds a route for POST.
func (r Router) POST(path string, h echo.HandlerFunc) {
	r.route.posts = true
	r.add(http.MethodPost, path, h)
}

func (r Router) add(method, path string, h echo.HandlerFunc) {
	r.echo.Add(method, path, h, r.middleware...)
	r.shell.routes[routeKey{method, path}] = r.route
	if _, known := r.shell.routes[routeKey{path: path}]; !known {
		r.shell.routes[routeKey{path: path}] = r.route
	}
}

// routeOf returns what is known of the route a request matched. A request
// with a wrong method is answered by the surface that has the path.
func (s *Shell) routeOf(c echo.Context) route {
	if r, ok := s.routes[routeKey{c.Request().Method, c.Path()}]; ok {
		return r
	}
	if r, ok := s.routes[routeKey{path: c.Path()}]; ok {
		return r
	}
	return route{render: Negotiated}
}
