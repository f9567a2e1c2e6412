import { useOutletContext } from 'react-router'
import { withParams } from '~/lib/addresses.ts'
import { Link } from '~/ui/link.tsx'
import { MemoMarkup } from '~/ui/memo-markup.tsx'
import { RuleHead } from '~/ui/rule-head.tsx'
import { type CategoryView, categoryPath, type TagView, tagPath } from '../tags.view.ts'

/** What the forum's layout hands to the pages inside it, as far as categories go. */
export interface CategoryFrame {
	categories: CategoryView[]
}

/** Every category, in the order of the site; for pages inside the forum's layout. */
export function useCategories(): CategoryView[] {
	return useOutletContext<CategoryFrame>().categories
}

interface CategoryNavProps {
	categories: CategoryView[]
	/** How many questions there are in all. */
	total: number
	/** The page being read. */
	pathname: string
	/** A search is taken along from one category to the next. */
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
			<RuleHead title="Browse" />
			<ul>
				<SideLink to="/forum" title="Recent Queries" count={total} {...{ pathname, search }} />
			</ul>
			<div className="mt-6">
				<RuleHead title="Categories" />
			</div>
			<ul>
				{categories.map(({ slug, title, count }) => (
					<SideLink key={slug} to={categoryPath(slug)} title={title} count={count} {...{ pathname, search }} />
				))}
			</ul>
		</>
	)
}

/** The categories as a strip that scrolls sideways, below 768 px; the tags, which have no column there, come last. */
export function CategoryStrip(props: CategoryStripProps) {
	return <MemoMarkup as="nav" className="md:hidden" aria-label="Categories" of={StripLinks} with={props} />
}

function StripLinks({ categories, pathname, search }: CategoryStripProps) {
	return (
		<ul className="-mx-4 mt-4 flex *:flex-none gap-2 overflow-x-auto px-4 pb-1 sm:-mx-6 sm:px-6">
			<StripLink to="/forum" title="Recent Queries" {...{ pathname, search }} />
			{categories.map(({ slug, title }) => (
				<StripLink key={slug} to={categoryPath(slug)} title={title} {...{ pathname, search }} />
			))}
			<StripLink to="/forum/tags" title="All tags" pathname={pathname} search={null} />
		</ul>
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
			<Link className="side-link" to={withParams(to, { q: search })} aria-current={pathname === to || undefined}>
				{`${title} `}
				<span className="num">{count}</span>
			</Link>
		</li>
	)
}

function StripLink({ to, title, pathname, search }: ItemProps) {
	const current = pathname === to || undefined
	return (
		<li>
			<Link className="chip h-8 px-3" to={withParams(to, { q: search })} aria-current={current} data-selected={current}>
				{title}
			</Link>
		</li>
	)
}

/** The most used tags, as the index at the back of a book. */
export function TagIndex({ tags, search }: { tags: TagView[]; search: string | null }) {
	return (
		<section aria-labelledby="tags">
			<RuleHead id="tags" title="Tags">
				<Link className="quiet-link" to="/forum/tags" aria-label="All tags">
					All
				</Link>
			</RuleHead>
			<ul>
				{tags.map((tag) => (
					<TagLink key={tag.name} tag={tag} search={search} />
				))}
			</ul>
		</section>
	)
}

/** One line of an index: the tag, a dotted leader, how many questions. */
export function TagLink({ tag, search }: { tag: TagView; search?: string | null }) {
	return (
		<li className="min-w-0">
			<Link className="index-row" to={withParams(tagPath(tag.name), { q: search })}>
				<span className="tag min-w-0 truncate text-inherit">{tag.name}</span>
				<span className="num">{tag.count}</span>
			</Link>
		</li>
	)
}
