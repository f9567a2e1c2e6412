import type { DeleteQuestion } from '~/ui/delete-control.tsx'

/** What is asked before a query is deleted. */
export function deleteQuery(query: { url: string; title: string }): DeleteQuestion {
	return {
		title: `Delete “${query.title}”?`,
		text: 'It disappears from the forum. What others answered stays readable at its address. You can take this back for ten minutes.',
		action: query.url,
		fields: { intent: 'delete-query' },
		href: `${query.url}?delete=1`,
	}
}
