import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

interface ReceivedWebhook {
	headers: IncomingHttpHeaders
	/** As it arrived. */
	text: string
	body: { type: string; timestamp: string; site: string; data: Record<string, Record<string, unknown>> }
}

/** Listens on this machine as the server of a webhook, and keeps what arrives. Sites need WEBHOOK_PRIVATE_ADDRESSES to reach it. */
export async function receiveWebhooks() {
	const received: ReceivedWebhook[] = []
	const server = createServer(async (request, response) => {
		const sent = await text(request)
		received.push({ headers: request.headers, text: sent, body: JSON.parse(sent) })
		response.writeHead(receiver.status).end()
	})
	server.listen(0, '127.0.0.1')
	await once(server, 'listening')
	const { port } = server.address() as AddressInfo
	const close = async () => void (await server[Symbol.asyncDispose]())
	/** `status` is what it answers. */
	const receiver = { url: `http://127.0.0.1:${port}/hook`, received, status: 204, close }
	return receiver
}

/** The signature that a genuine request has, by the specification rather than by the site's own code. */
export function expectedSignature(secret: string, { headers, text: body }: ReceivedWebhook): string {
	const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
	const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
	return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`
}
