import type { DeleteQuestion } from '~/ui/delete-control.tsx'
import type { QueryPageView } from '../../question.view.ts'

/** What is asked before a query is deleted. */
export function deleteQuery(
	query: Pick<QueryPageView, 'url' | 'title'> & Partial<Pick<QueryPageView, 'withheld'>>,
): DeleteQuestion {
	return {
		title: `Delete “${query.title}”?`,
		text: query.withheld
			? 'It has not been in the forum yet, and cannot be brought back.'
			: 'It disappears from the forum. What others answered stays readable at its address. You can take this back for ten minutes.',
		action: query.url,
		fields: { intent: 'delete-query' },
		href: `${query.url}?delete=1`,
	}
}
