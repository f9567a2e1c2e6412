import { X } from 'lucide'
import { useLocation } from 'react-router'
import type { AnnouncementView } from '~/lib/root-data.ts'
import { Icon } from '~/ui/icon.tsx'
import { Form, Link } from '~/ui/link.tsx'

/** The site's announcement, above the page. Loaded only where there is one. */
export default function Announcement({ announcement }: { announcement: AnnouncementView }) {
	const { pathname, search } = useLocation()
	const { id, text, link, isClosable } = announcement
	return (
		<aside className="border-b border-line bg-ivy-wash" aria-label="Announcement">
			<div className="mx-auto flex max-w-page items-center gap-3 px-4 py-2 sm:px-6">
				<p className="min-w-0 flex-1 text-sm wrap-anywhere text-ink">
					{text}{' '}
					{link && (
						<Link className="link font-semibold" to={link.url}>
							{link.text}
						</Link>
					)}
				</p>
				{isClosable && (
					<Form method="post" action="/announcement" preventScrollReset>
						<input type="hidden" name="id" value={id} />
						<input type="hidden" name="redirectTo" value={pathname + search} />
						<button className="icon-btn icon-btn-sm" type="submit" aria-label="Close the announcement">
							<Icon of={X} className="icon-sm" />
						</button>
					</Form>
				)}
			</div>
		</aside>
	)
}
