import { config } from '~/config.server.ts'
import { batchCalls } from '~/lib/batch-calls.ts'
import { log } from '~/lib/log.server.ts'
import { truncateWords } from '~/lib/text.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { countTabs } from '~/platform/realtime/presence.server.ts'
import { actorNameOf, listSources, type NotificationKindName, textOfEvent } from '../kinds.server.ts'
import { andOthers } from '../notifications.view.ts'
import {
	addPushJobs,
	findBrowser,
	findNotificationPush,
	forgetSubscription,
	listAwayBrowsers,
	type PushJob,
	recordPushSuccess,
	type Subscription,
} from './push.queries.server.ts'
import { isPushService, pushLimits } from './push.schema.ts'
import { vapidKeys } from './vapid.server.ts'

/** The content of a push; `app/offline/worker.js` shows it. */
export interface Push {
	title: string
	body: string
	/** A path of this site: a tab that shows it gets the focus. */
	url: string
	/** A path that marks a stored notification as read, and leads to `url`. */
	read?: string
	/** Replaces an earlier push with the same tag: `c` and the id of a conversation, `n` and the id of a notification. */
	tag: string
	/** The tags of what is still unread; other shown pushes were read elsewhere and are closed. */
	open: string[]
	/** The number for the app's icon, as in the header. */
	unread: number
}

/** Seconds for which a push service stores an undeliverable push: a browser that was off for longer has more to show than this. */
const PUSH_LIFETIME = 86_400
/** Milliseconds that a push service may take to answer. */
const REQUEST_TIMEOUT_MS = 10_000

/**
 * Sends a push to one browser, encrypted so that the push service cannot read it (RFC 8291). A browser that its service no longer
 * knows is deleted.
 * @throws Error where a retry may succeed; the job retries later
 */
async function deliver(browser: Subscription, push: Push, urgency: 'normal' | 'high'): Promise<void> {
	const { endpoint, p256dh, auth } = browser
	// The list of allowed services may have changed since it was stored.
	if (!isPushService(endpoint, config().PUSH_HOSTS)) return forgetSubscription(browser)
	const { title, body } = push
	const message = {
		data: { ...push, title: truncateWords(title, pushLimits.title), body: truncateWords(body, pushLimits.body) },
		options: { ttl: PUSH_LIFETIME, urgency, topic: push.tag },
	}
	const { buildPushPayload } = await import('@block65/webcrypto-web-push')
	const request = await buildPushPayload(
		message,
		{ endpoint, expirationTime: null, keys: { p256dh, auth } },
		vapidKeys(),
	)
	// A redirect would lead to an address that is not on the list.
	const answer = await fetch(endpoint, {
		...request,
		redirect: 'manual',
		signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
	})
	await answer.body?.cancel()
	if (answer.ok) return recordPushSuccess(browser.id)
	if (answer.status === 404 || answer.status === 410) return forgetSubscription(browser)
	if (answer.status === 429 || answer.status >= 500) throw new Error(`The push service answered ${answer.status}.`)
	log.warn({ status: answer.status, service: new URL(endpoint).host }, 'a push service rejected a push')
}

/**
 * Queues a push to every browser of these members, unless they have a tab open, which shows it already. With the transaction of a
 * use case, the jobs exist once that commits.
 * @param wanted what to push, as in {@link PushJob}; looked up when the job runs
 */
export async function queuePushes(
	executor: Executor,
	wanted: (Omit<PushJob, 'subscription'> & { userId: number })[],
): Promise<void> {
	if (wanted.length === 0) return
	const browsers = await listAwayBrowsers(
		executor,
		wanted.map(({ userId }) => userId),
	)
	const jobs = wanted.flatMap(({ userId, ...about }) =>
		browsers.filter((browser) => browser.user_id === userId).map(({ id }) => ({ subscription: id, ...about })),
	)
	if (jobs.length > 0) await addPushJobs(executor, jobs)
}

/**
 * Pushes an unseen event of a kind that stores no notifications, if the member has no tab open; call it after the
 * commit. A push is optional, and the mail is sent anyway: never throws.
 */
export async function pushUnseen(kind: NotificationKindName, userId: number, subjectId: number): Promise<void> {
	// The common case needs no query: their tab is on this process.
	if (countTabs(userId) > 0) return
	try {
		await queueUnseen({ kind, userId, about: subjectId })
	} catch (error) {
		log.warn({ err: error, kind }, 'a push could not be queued')
	}
}

const queueUnseen = batchCalls(async (wanted: Parameters<typeof queuePushes>[1]) => {
	await queuePushes(db(), wanted)
	return wanted.map(() => null)
})

declare module '~/platform/jobs/jobs.server.ts' {
	interface Jobs {
		/** Pushes a stored notification, or a subject of another kind, to a browser. */
		'push-notice': PushJob
	}
}

/** Sends a push, unless its subject was seen or its member is back. @throws Error as {@link deliver} does */
export async function pushNotification(job: PushJob): Promise<void> {
	if (job.kind) return pushFromSource(job.kind, job)
	const row = await findNotificationPush(job)
	if (!row) return
	const title = `${actorNameOf(row)}${andOthers(row.people)} ${textOfEvent(row)}`
	const body = [row.title, row.reason && `Reason: ${row.reason}`].filter(Boolean).join('\n')
	const { url, open, unread } = row
	// The page may not mark it as read.
	const read = `/notifications/${job.about}`
	await deliver(row, { title, body, url, read, tag: `n${job.about}`, open, unread }, 'normal')
}

async function pushFromSource(kind: NotificationKindName, { subscription, about }: PushJob): Promise<void> {
	const [, source] = listSources().find(([name]) => name === kind) ?? []
	const browser = source && (await findBrowser(subscription, kind))
	const words = browser && (await source.findPush(browser.user_id, about))
	if (!words) return
	const { open, unread } = browser
	await deliver(browser, { ...words, tag: `${source.tag}${about}`, open, unread }, 'high')
}
