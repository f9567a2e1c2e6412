import { withParams } from '~/lib/addresses.ts'
import type { ListData } from '../list-page.server.ts'

/** Title and addresses of a list page: one address per list and order; searches and later pages are not indexed. */
export function listMeta(title: string, pathname: string, data: ListData | undefined) {
	if (!data) return { title }
	const { search, view, cursor, page } = data
	const params = { q: search, view: view === 'newest' ? null : view }
	return {
		title: search ? `“${search}” in ${title}` : title,
		canonical: withParams(pathname, { view: params.view }),
		noindex: search !== '' || cursor !== null,
		next: page.next === null ? null : withParams(pathname, { ...params, cursor: page.next }),
	}
}
