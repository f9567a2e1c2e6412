import { config } from '~/config.server.ts'
import { mailAdmins } from '~/features/members/role-mails.server.ts'
import { log } from '~/lib/log.server.ts'
import { db } from '~/platform/db/db.server.ts'
import { decryptSecret } from '~/platform/encryption.server.ts'
import { siteName } from '~/platform/settings/site-name.server.ts'
import { type DeliveryRow, findDelivery, recordHealth, recordTry, switchOff } from '../webhooks.queries.server.ts'
import { webhookPath } from '../webhooks.view.ts'
import { guardedPost } from './guarded-post.server.ts'
import { readEventData } from './payload.server.ts'
import { signedHeaders } from './signature.server.ts'

declare module '~/platform/jobs/jobs.server.ts' {
	interface Jobs {
		/** Sends a delivery, by its id; triggers of the database add it (migrations/0214). */
		'deliver-webhook': { delivery: string }
	}
}

/** Tries of a delivery. By the waits between tries of a job, the last one is 28 hours after the first. */
const MAX_TRIES = 14
/** Days of nothing but failures after which a webhook is switched off. */
const MAX_FAILING_DAYS = 3

/** How a try ended. */
export interface Outcome {
	state: 'sent' | 'skipped' | 'failed'
	status: number | null
	/** Why it failed, for admins. */
	error: string
}

/** Binds an encrypted secret to its webhook. */
export function secretPurpose(id: number): string {
	return `webhooks.secret.${id}`
}

/**
 * Sends a queued delivery. A process that is killed between sending and recording sends it again, with the same id.
 * @throws Error where it failed, so that the job is tried again later
 */
export async function deliverWebhook({ delivery }: { delivery: string }): Promise<void> {
	const row = await findDelivery(delivery)
	if (row?.state !== 'waiting') return
	const outcome = row.enabled ? await send(row) : failed('The webhook was switched off.')
	const mayTryAgain = outcome.state === 'failed' && row.enabled && row.tries + 1 < MAX_TRIES
	await recordTry(db(), row.id, mayTryAgain ? { ...outcome, state: 'waiting' } : outcome)
	if (outcome.state === 'sent') await recordHealth(db(), row.webhook_id, false)
	if (outcome.state === 'failed' && row.enabled) await noteFailure(row, outcome)
	if (mayTryAgain) throw new Error(`A webhook failed: ${outcome.error}`)
}

/** Sends a delivery once, now, whether its webhook is switched on or not, and records how that ended. */
export async function sendNow(row: DeliveryRow): Promise<Outcome> {
	const outcome = await send(row)
	await recordTry(db(), row.id, outcome)
	if (outcome.state === 'sent') await recordHealth(db(), row.webhook_id, false)
	return outcome
}

async function send(row: DeliveryRow): Promise<Outcome> {
	let data: Awaited<ReturnType<typeof readEventData>>
	try {
		data = await readEventData(row.event, row.subject_id)
	} catch (error) {
		log.error({ err: error, event: row.event }, 'what a webhook is told could not be read')
		return failed('What happened could not be read. The log of the site says why.')
	}
	if (!data) return { state: 'skipped', status: null, error: '' }
	const secret = decryptSecret(secretPurpose(row.webhook_id), row.secret)
	if (!secret) return failed('The secret cannot be read, as that of the site has changed. Make a new one.')
	const { publicUrl: site } = config()
	const body = JSON.stringify({ type: row.event, timestamp: row.created_at.toISOString(), site, data })
	const signature = signedHeaders(secret, { id: row.id, seconds: Math.floor(Date.now() / 1000), body })
	const headers = { 'Content-Type': 'application/json', 'User-Agent': 'DevQuad-Webhooks', ...signature }
	try {
		const status = await guardedPost(row.url, headers, body)
		if (status >= 200 && status < 300) return { state: 'sent', status, error: '' }
		return { ...failed(`The server answered ${status}.`), status }
	} catch (error) {
		return failed(error instanceof Error ? error.message || String(error) : String(error))
	}
}

function failed(error: string): Outcome {
	return { state: 'failed', status: null, error: error.slice(0, 300) }
}

/** Switches off a webhook that has only failed for days, and mails all admins. What still waits fails at its next try. */
async function noteFailure({ webhook_id: id, name }: DeliveryRow, { error }: Outcome): Promise<void> {
	await db()
		.transaction()
		.execute(async (trx) => {
			await recordHealth(trx, id, true)
			if (!(await switchOff(trx, id, MAX_FAILING_DAYS))) return
			await mailAdmins(trx, {
				subject: `A webhook of ${siteName()} was switched off`,
				text: `Nothing could be sent to the webhook “${name}” for ${MAX_FAILING_DAYS} days, so it was switched off. The last failure: ${error}`,
				link: { label: 'Open its page', path: webhookPath(id) },
				closing: 'Once its server works, switch it on again there.',
			})
		})
}
