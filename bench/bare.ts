// The bare handler of the same server: what the site's figures are set against.
import { createServer } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'

const app = new Hono()
app.get('*', (context) => context.text('ok'))
createServer(getRequestListener(app.fetch)).listen(Number(process.argv[2]), 'localhost', () =>
	process.stdout.write('ready\n'),
)
