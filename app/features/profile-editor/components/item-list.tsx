import { Pencil, Trash2 } from 'lucide'
import { useLocation, useSearchParams } from 'react-router'
import { Picture } from '~/features/pictures/components/picture.tsx'
import type { PictureView } from '~/features/pictures/pictures.view.ts'
import { Nothing } from '~/features/profiles/components/sections.tsx'
import { DeleteControl, type DeleteQuestion, DeleteSection } from '~/ui/delete-control.tsx'
import { Icon } from '~/ui/icon.tsx'
import { Link } from '~/ui/link.tsx'
import { RuleHead } from '~/ui/rule-head.tsx'

interface Item {
	id: string
	title: string
	image: PictureView | null
	/** One line under the title. */
	note: string
	link?: { label: string; url: string } | '' | undefined
}

interface ItemListProps {
	/** “certificate”, “project”. */
	what: string
	title: string
	empty: string
	items: Item[]
}

/** A member's own items, each with the ways to edit and to delete it. */
export function ItemList({ what, title, empty, items }: ItemListProps) {
	const { pathname } = useLocation()
	const [search] = useSearchParams()
	const asked = items.find(({ id }) => id === search.get('delete'))
	const question = (item: Item): DeleteQuestion => ({
		title: `Delete “${item.title}”?`,
		text: 'It disappears from your public profile now. This cannot be undone.',
		action: pathname,
		fields: { intent: 'delete', item: item.id },
		href: `${pathname}?delete=${item.id}`,
	})
	return (
		<section className="mt-10" aria-labelledby={`your-${what}`}>
			<RuleHead id={`your-${what}`} title={title}>
				<span className="num">{items.length}</span>
			</RuleHead>
			{asked && <DeleteSection question={question(asked)} keepHref={pathname} />}
			{items.length === 0 && <Nothing>{empty}</Nothing>}
			<ul>
				{items.map((item) => (
					<li key={item.id} className="flex items-center gap-4 border-b border-line py-3">
						{item.image && (
							<Picture
								className="h-14 w-20 flex-none rounded-sm border border-line object-cover"
								picture={item.image}
								alt=""
								sizes="5rem"
							/>
						)}
						<div className="min-w-0 flex-1">
							<h3 className="truncate text-md leading-5 font-semibold">{item.title}</h3>
							{item.note && <p className="mt-0.5 text-sm text-ink-3">{item.note}</p>}
						</div>
						{item.link && (
							<a
								className="link text-sm max-sm:hidden"
								href={item.link.url}
								rel="nofollow noopener"
								aria-label={`${item.link.label} ${item.title}`}
							>
								{item.link.label}
							</a>
						)}
						<span className="flex flex-none">
							<Link className="icon-btn" to={`${pathname}?edit=${item.id}`} aria-label={`Edit ${item.title}`}>
								<Icon of={Pencil} />
							</Link>
							<DeleteControl
								question={question(item)}
								className="icon-btn hover:text-red"
								label={`Delete ${item.title}`}
							>
								<Icon of={Trash2} />
							</DeleteControl>
						</span>
					</li>
				))}
			</ul>
		</section>
	)
}
