import fastify from "fastify";
import pg from "pg";

/** The peer: nothing but one prepared query and a route. */
const pool = new pg.Pool({ connectionString: process.argv[2], max: 20 });
const app = fastify();
app.get("/list", async () => {
  const { rows } = await pool.query({ name: "items", text: "SELECT item FROM bench_items ORDER BY position" });
  return { items: rows.map(({ item }) => item), next_cursor: null, total: rows.length };
});
process.send?.(await app.listen({ host: "127.0.0.1", port: 0 }));
// A profile (NODE_OPTIONS=--cpu-prof) is written by a process that ends by itself.
process.once("SIGTERM", () => process.exit(0));
