import type { Executor } from '~/platform/db/db.server.ts'
import { addPushJobs, listAway, type PushTask } from './subscriptions.queries.server.ts'

/**
 * Leaves it to jobs to push something in every browser of these members, as far as they have no tab open now: a tab tells it
 * already. Given a use case's transaction, the jobs exist when that commits.
 * @param about ids of what is told, a notice or a conversation; it is looked up when the job is done
 */
export async function queuePushes(
	executor: Executor,
	task: PushTask,
	wanted: { userId: number; about: number }[],
): Promise<void> {
	if (wanted.length === 0) return
	const browsers = await listAway(
		executor,
		wanted.map(({ userId }) => userId),
	)
	const jobs = wanted.flatMap(({ userId, about }) =>
		browsers.filter((browser) => browser.user_id === userId).map(({ id }) => ({ subscription: id, about })),
	)
	if (jobs.length > 0) await addPushJobs(executor, task, jobs)
}
