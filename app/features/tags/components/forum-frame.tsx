import { useOutletContext } from 'react-router'
import { withParams } from '~/lib/addresses.ts'
import { Link } from '~/ui/link.tsx'
import { MemoMarkup } from '~/ui/memo-markup.tsx'
import { SectionHeading } from '~/ui/section-heading.tsx'
import { type CategoryView, categoryPath, type TagView, tagPath } from '../tags.view.ts'

/** The part of the forum layout's data that concerns categories. */
export interface CategoryFrame {
	categories: CategoryView[]
}

/** All categories in the site's order, for child routes of the forum layout. */
export function useCategories(): CategoryView[] {
	return useOutletContext<CategoryFrame>().categories
}

interface CategoryNavProps {
	categories: CategoryView[]
	/** The number of questions in the forum. */
	total: number
	/** The path of the present page. */
	pathname: string
	/** The search, which is kept when the category changes. */
	search: string | null
}

type CategoryStripProps = Omit<CategoryNavProps, 'total'>

/** The categories as a side menu, from 768 px. */
export function CategoryNav(props: CategoryNavProps) {
	return <MemoMarkup as="nav" className="max-md:hidden" aria-label="Categories" of={SideLinks} with={props} />
}

function SideLinks({ categories, total, pathname, search }: CategoryNavProps) {
	return (
		<>
			<SectionHeading title="Browse" />
			<ul>
				<SideLink to="/forum" title="Recent Queries" count={total} pathname={pathname} search={search} />
			</ul>
			<div className="mt-6">
				<SectionHeading title="Categories" />
			</div>
			<ul>
				{categories.map(({ slug, title, count }) => (
					<SideLink
						key={slug}
						to={categoryPath(slug)}
						title={title}
						count={count}
						pathname={pathname}
						search={search}
					/>
				))}
			</ul>
		</>
	)
}

/** The categories as a strip that scrolls sideways, below 768 px, followed by the tags, which have no column there. */
export function CategoryStrip(props: CategoryStripProps) {
	return <MemoMarkup as="nav" className="category-strip" aria-label="Categories" of={StripLinks} with={props} />
}

function StripLinks({ categories, pathname, search }: CategoryStripProps) {
	return (
		<>
			<StripLink to="/forum" title="Recent Queries" pathname={pathname} search={search} />
			{categories.map(({ slug, title }) => (
				<StripLink key={slug} to={categoryPath(slug)} title={title} pathname={pathname} search={search} />
			))}
			<StripLink to="/forum/tags" title="All tags" pathname={pathname} search={null} />
		</>
	)
}

interface ItemProps {
	to: string
	title: string
	pathname: string
	search: string | null
}

function SideLink({ to, title, count, pathname, search }: ItemProps & { count: number }) {
	return (
		<li>
			<Link
				className="side-link"
				to={withParams(to, { q: search })}
				aria-current={pathname === to || undefined}
				data-count={count}
			>
				{`${title} `}
			</Link>
		</li>
	)
}

function StripLink({ to, title, pathname, search }: ItemProps) {
	const current = pathname === to || undefined
	return (
		<Link className="chip" to={withParams(to, { q: search })} aria-current={current} data-selected={current}>
			{title}
		</Link>
	)
}

/** The most used tags, styled like an index of a book. */
export function TagIndex({ tags, search }: { tags: TagView[]; search: string | null }) {
	return (
		<section aria-labelledby="tag-index">
			<SectionHeading id="tag-index" title="Tags">
				<Link className="quiet-link" to="/forum/tags" aria-label="All tags">
					All
				</Link>
			</SectionHeading>
			<ul>
				{tags.map((tag) => (
					<TagLink key={tag.name} tag={tag} search={search} />
				))}
			</ul>
			{tags.length === 0 && <p className="text-ink-2">No tags yet.</p>}
		</section>
	)
}

/** A line of the index: the tag, a dotted leader, and the number of questions. */
export function TagLink({ tag, search }: { tag: TagView; search?: string | null }) {
	return (
		<li>
			<Link className="index-row" to={withParams(tagPath(tag.name), { q: search })} data-count={tag.count}>
				<span className="tag">{tag.name}</span>
			</Link>
		</li>
	)
}
