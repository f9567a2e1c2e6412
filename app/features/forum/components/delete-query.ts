import type { DeleteQuestion } from '~/ui/delete-control.tsx'

/** What is asked before a query is deleted. */
export function deleteQuery(query: { url: string; title: string }): DeleteQuestion {
	return {
		title: `Delete “${query.title}”?`,
		text: 'It disappears from the forum with all its comments. This cannot be undone.',
		action: query.url,
		fields: { intent: 'delete-query' },
		href: `${query.url}?delete=1`,
	}
}
