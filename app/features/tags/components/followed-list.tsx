import { Link } from '~/ui/link.tsx'
import { SectionHeading } from '~/ui/section-heading.tsx'
import { type CategoryView, categoryPath, tagPath } from '../tags.view.ts'

interface FollowedListProps {
	tags: string[]
	categories: string[]
	/** All categories, for their titles. */
	known: CategoryView[]
}

/** What the viewer follows. Renders nothing if that is nothing. */
export function FollowedList({ tags, categories, known }: FollowedListProps) {
	if (tags.length + categories.length === 0) return null
	return (
		<section className="mt-6" aria-labelledby="followed">
			<SectionHeading id="followed" title="You follow">
				<span>{tags.length + categories.length}</span>
			</SectionHeading>
			<ul className="flex flex-wrap items-center gap-x-4 gap-y-2">
				{categories.map((slug) => (
					<li key={slug}>
						<Link className="chip" to={categoryPath(slug)}>
							{known.find((category) => category.slug === slug)?.title ?? slug}
						</Link>
					</li>
				))}
				{tags.map((name) => (
					<li key={name}>
						<Link className="tag" to={tagPath(name)}>
							{name}
						</Link>
					</li>
				))}
			</ul>
		</section>
	)
}
