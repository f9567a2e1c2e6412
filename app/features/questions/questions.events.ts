declare module '~/platform/realtime/events.ts' {
	interface ServerEvents {
		/** A question was asked. */
		'query:added': (event: { url: string }) => void
		/** A comment was written under the question that this tab shows; by whom, so that nobody is told of their own. */
		'comment:added': (event: { questionId: number; commentId: number; username: string }) => void
	}
	interface ClientEvents {
		/**
		 * Which question this page shows, null for none; replaces the one before. Answers with the ids of the comments that others wrote
		 * after the one called `after`, the newest that the page knows of: between its loading and this moment.
		 */
		'query:watch': (questionId: number | null, after?: number, answer?: (ids: number[]) => void) => void
	}
}

/** The room of the tabs that show a query. */
export function readersOf(questionId: number): string {
	return `query:${questionId}`
}
