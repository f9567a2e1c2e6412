import { others } from '../channels.ts'
import { doerOf, wordsOf } from '../kinds.server.ts'
import { deliver } from './delivery.server.ts'
import { findNoticePush } from './notices.queries.server.ts'
import type { PushJob } from './subscriptions.queries.server.ts'

declare module '~/platform/jobs/jobs.server.ts' {
	interface Jobs {
		/** Tells a browser of a notice, by its id. */
		'push-notice': PushJob
	}
}

/** Tells a browser of a notice, unless it was read or its member came back. @throws Error as {@link deliver} does */
export async function pushNotice(job: PushJob): Promise<void> {
	const row = await findNoticePush(job)
	if (!row) return
	const title = `${doerOf(row)}${others(row.people)} ${wordsOf(row)}`
	const body = [row.title, row.reason && `Reason: ${row.reason}`].filter(Boolean).join('\n')
	await deliver(row, { title, body, url: row.url, tag: `n${job.about}`, open: row.open }, 'normal')
}
