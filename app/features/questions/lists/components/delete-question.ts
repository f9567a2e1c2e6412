import type { DeleteQuestion } from '~/ui/delete-control.tsx'
import type { QueryPageView } from '../../question.view.ts'

/** What is asked before a query is deleted. */
export function deleteQuery(
	query: Pick<QueryPageView, 'url' | 'title'> & Partial<Pick<QueryPageView, 'withheld'>>,
): DeleteQuestion {
	return {
		title: `Delete “${query.title}”?`,
		text: query.withheld
			? 'It has not been published yet. Once deleted, it cannot be restored.'
			: 'It disappears from the forum. Comments by others can still be read at its address. You can undo this for ten minutes.',
		action: query.url,
		fields: { intent: 'delete-query' },
		href: `${query.url}?delete=1`,
	}
}
