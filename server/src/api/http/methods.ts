import { type Route, routeIds, routes } from "@codehub/contract";

/** HEAD is GET without the body, but not where the body never ends or is a whole home. */
export const methodsOf = (route: Route): string[] =>
  route.method === "GET" && route.streams !== true ? ["GET", "HEAD"] : [route.method];

const addresses = Map.groupBy(routeIds, (id) => routes[id].path)
  .entries()
  .map(([path, ids]) => ({
    pattern: new RegExp(`^${path.replaceAll(".", "\\.").replaceAll(/:\w+/g, "[^/]+")}$`),
    methods: ids.flatMap((id) => methodsOf(routes[id])),
  }))
  .toArray();

/** The methods of an address of the route table; null for any other address. */
export const methodsAt = (path: string): readonly string[] | null =>
  addresses.find(({ pattern }) => pattern.test(path))?.methods ?? null;
