// The baseline: a bare handler on the same server. `/N` responds with N prepared bytes.
import { createServer } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'

const app = new Hono()
app.get('/', (context) => context.text('ok'))
const bodies = new Map<number, Uint8Array<ArrayBuffer>>()
app.get('/:bytes', (context) => {
	const bytes = Number(context.req.param('bytes'))
	const body = bodies.get(bytes) ?? new Uint8Array(bytes)
	bodies.set(bytes, body)
	return context.body(body)
})
createServer(getRequestListener(app.fetch)).listen(Number(process.argv[2]), 'localhost', () =>
	process.stdout.write('ready\n'),
)
