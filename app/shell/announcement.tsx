import { X } from 'lucide'
import { useEffect } from 'react'
import { useFetcher, useLocation } from 'react-router'
import type { AnnouncementView } from '~/lib/root-data.ts'
import { Icon } from '~/ui/icon.tsx'
import { Link } from '~/ui/link.tsx'
import { focusHeading } from '~/ui/use-focus-kept.ts'

/** The site's announcement, above the page, until the reader closes it. Loaded only where there is one. */
export default function Announcement({ announcement }: { announcement: AnnouncementView }) {
	const { id, text, link, isClosable } = announcement
	const { pathname, search } = useLocation()
	const fetcher = useFetcher()
	const isClosing = fetcher.formData?.get('id') === id
	useEffect(() => {
		if (isClosing && document.activeElement === document.body) focusHeading()
	}, [isClosing])
	if (isClosing) return null
	return (
		<aside className="border-b border-line bg-ivy-wash" aria-label="Announcement">
			<div className="mx-auto flex max-w-page items-center gap-3 px-4 py-2 sm:px-6">
				<p className="min-w-0 flex-1 text-sm wrap-anywhere text-ink" dir="auto">
					{text}{' '}
					{link && (
						<Link className="link font-semibold" to={link.url}>
							{link.text}
						</Link>
					)}
				</p>
				{isClosable && (
					<fetcher.Form method="post" action="/announcement">
						<input type="hidden" name="id" value={id} />
						<input type="hidden" name="redirectTo" value={pathname + search} />
						<button className="icon-btn icon-btn-sm" type="submit" aria-label="Close the announcement">
							<Icon of={X} className="icon-sm" />
						</button>
					</fetcher.Form>
				)}
			</div>
		</aside>
	)
}
