import type { HttpBindings } from '@hono/node-server'
import type { Context, MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { networkOf } from '~/lib/networks.server.ts'
import type { PictureForm } from '~/platform/feature.ts'
import type { Operation } from '~/platform/http/operation.ts'
import { problem } from '~/platform/http/problem.ts'

/** Maximum bytes of a small body, of which any number may be read concurrently: a form without pictures. */
const MAX_SMALL_BODY_BYTES = 512 * 1024
/** Fits a form with a picture of 5 MB. A slightly larger picture is still read, to be refused with a message. */
const MAX_BODY_BYTES_WITH_PICTURE = 6 * 1024 * 1024
/** Fits a picture of 5 MB in base64, and the JSON around it. */
const MAX_BODY_BYTES_WITH_BASE64 = 7.5 * 1024 * 1024

const tooLarge = 'The request is too large. The limit is 512 KB.'

/** Limits the size of bodies: small ones are accepted everywhere, larger ones by these forms, and by operations that take a picture. */
export function limitBodySizes(forms: readonly PictureForm[], operations: readonly Operation[]): MiddlewareHandler {
	const small = bodyLimit({
		maxSize: MAX_SMALL_BODY_BYTES,
		onError: (context) => (context.req.path.startsWith('/api/') ? problem(413, tooLarge) : context.text(tooLarge, 413)),
	})
	const ofForms = forms.map(({ path, tooLarge: message, isScript }) => {
		const onError = (context: Context) =>
			isScript ? context.json({ error: { kind: 'invalid-argument', message } }, 413) : context.text(message, 413)
		return { path, limit: bodyLimit({ maxSize: MAX_BODY_BYTES_WITH_PICTURE, onError }) }
	})
	const ofOperations = new Map<string, MiddlewareHandler>()
	for (const { path, pictureTooLarge: message } of operations) {
		if (message === undefined) continue
		const onError = () => problem(413, message)
		ofOperations.set(`/api/v1${path}`, bodyLimit({ maxSize: MAX_BODY_BYTES_WITH_BASE64, onError }))
	}
	return (context, next) => {
		const { path } = context.req
		const limit = ofOperations.get(path) ?? ofForms.find((form) => form.path.test(path))?.limit ?? small
		return limit(context, next)
	}
}

interface Limits {
	/** Larger bodies that a process handles concurrently: each is held in memory, up to 7.5 MB. */
	maxAtOnce: number
	/** The same for one network address, so that one slow client does not delay all others. */
	maxPerAddress: number
	/** Milliseconds that a request may wait; its body stays with the client meanwhile. */
	maxWaitMs: number
}

const busyMessage = 'Too many files are being sent at the moment. Please try again shortly.'

const usual: Limits = { maxAtOnce: 16, maxPerAddress: 8, maxWaitMs: 10_000 }

/**
 * Limits how many large bodies are read concurrently, as Node returns memory to the system late or never.
 * @param addressOf the client's address, for the limit per address; those of one network of IPv6 are one
 */
export function limitLargeBodies(
	addressOf: (request: Request) => string,
	{ maxAtOnce, maxPerAddress, maxWaitMs }: Limits = usual,
): MiddlewareHandler<{ Bindings: HttpBindings }> {
	const reading = new Map<string, number>()
	let count = 0
	const waiting = new Set<() => void>()
	const take = (address: string) => {
		const own = reading.get(address) ?? 0
		if (count >= maxAtOnce || own >= maxPerAddress) return false
		reading.set(address, own + 1)
		count += 1
		return true
	}
	const release = (address: string) => {
		const own = (reading.get(address) ?? 1) - 1
		if (own > 0) reading.set(address, own)
		else reading.delete(address)
		count -= 1
		for (const look of waiting) look()
	}
	/** @returns whether the turn came before the time was up and the client was gone */
	const turn = (address: string, isGone: () => boolean) =>
		new Promise<boolean>((resolve) => {
			const end = (hasTurn: boolean) => {
				clearTimeout(timer)
				waiting.delete(look)
				resolve(hasTurn)
			}
			const look = () => {
				if (isGone()) end(false)
				else if (take(address)) end(true)
			}
			const timer = setTimeout(() => end(false), maxWaitMs)
			waiting.add(look)
			look()
		})
	return async (context, next) => {
		if (!isLarge(context.req.raw)) return next()
		const address = networkOf(addressOf(context.req.raw))
		const { incoming } = context.env
		if (!(await turn(address, () => incoming.destroyed))) {
			const headers = { 'Retry-After': '10' }
			return context.req.path.startsWith('/api/')
				? problem(503, busyMessage, { headers })
				: context.text(busyMessage, 503, headers)
		}
		try {
			await next()
		} finally {
			release(address)
		}
	}
}

function isLarge({ method, headers }: Request): boolean {
	if (method === 'GET' || method === 'HEAD') return false
	return headers.has('Transfer-Encoding') || Number(headers.get('Content-Length')) > MAX_SMALL_BODY_BYTES
}

/**
 * Drains the unread body of a refused request. Otherwise the adapter closes the connection half a second later, though the client was told
 * to keep it alive, and its next request is lost. The bytes are discarded; a body that continues after that time is cut off by the adapter.
 */
export function readUnreadBodies(): MiddlewareHandler {
	return async (context, next) => {
		await next()
		const { body, bodyUsed } = context.req.raw
		if (!body || bodyUsed || body.locked) return
		// It fails where the client goes away.
		body.pipeTo(new WritableStream()).catch(() => {})
	}
}
