import { X } from 'lucide'
import { Icon } from '~/ui/icon.tsx'
import { Link } from '~/ui/link.tsx'
import type { CommunityData } from '../directory.view.ts'

/** Notes on how a search was interpreted: which words became filters, each with a way to remove it, and that nobody matches all of them. */
export function SearchNotes({ data: { criteria, typed, asWords, isLoose, page } }: { data: CommunityData }) {
	const shownLoosely = isLoose && page.rows.length > 0
	if (typed.length === 0 && !shownLoosely) return null
	return (
		<div className="flex flex-wrap items-center gap-x-2 gap-y-1.5 pt-3 text-sm text-ink-2">
			{shownLoosely && (
				<p className="w-full wrap-anywhere" role="status">
					Nobody matches all of “{criteria.q}”. These people match some of it.
				</p>
			)}
			{typed.length > 0 && (
				<>
					<span className="text-ink-3">Only</span>
					{typed.map(({ label, href }) => (
						<span key={label} className="chip max-w-full" data-selected>
							<span className="truncate">{label}</span>
							<Link
								className="-mr-2 grid size-6 flex-none place-items-center text-ink-3 hover:text-red"
								to={href}
								preventScrollReset
								aria-label={`Remove ${label}`}
							>
								<Icon of={X} className="icon-sm" />
							</Link>
						</span>
					))}
					{asWords && (
						<Link className="link" to={asWords} preventScrollReset>
							Search for the words instead
						</Link>
					)}
				</>
			)}
		</div>
	)
}
