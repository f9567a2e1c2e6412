import { Outlet, type ShouldRevalidateFunctionArgs, useLocation, useSearchParams } from 'react-router'
import { CategoryNav, TagIndex } from '~/features/tags/components/forum-frame.tsx'
import { listCategories, listTags } from '~/features/tags/tags.server.ts'
import { relativeTime } from '~/lib/dates.ts'
import { Link } from '~/ui/link.tsx'
import { MemoMarkup } from '~/ui/memo-markup.tsx'
import { SectionHeading } from '~/ui/section-heading.tsx'
import { useNow } from '~/ui/time.tsx'
import { unansweredOf } from '../components/document-rows.ts'
import { countQuestions, listUnanswered, omitFromDocument } from '../lists.server.ts'
import type { ForumFrame, UnansweredView } from '../lists.view.ts'
import type { Route } from './+types/forum-layout'

const MAX_TAGS = 10
const MAX_WAITING = 4

export async function loader({ request }: Route.LoaderArgs): Promise<ForumFrame> {
	const [categories, tags, total, waiting] = await Promise.all([
		listCategories(),
		listTags(MAX_TAGS),
		countQuestions(),
		listUnanswered(MAX_WAITING),
	])
	return omitFromDocument('waiting', { categories, tags, total, waiting }, request)
}

/** The order, search and page of a list do not change the frame. A revalidation reloads everything. */
export function shouldRevalidate({
	currentUrl,
	nextUrl,
	formMethod,
	defaultShouldRevalidate,
}: ShouldRevalidateFunctionArgs): boolean {
	const isRead = formMethod === undefined || formMethod === 'GET'
	const sameList = currentUrl.pathname === nextUrl.pathname && currentUrl.search !== nextUrl.search && isRead
	return defaultShouldRevalidate && !sameList
}

/**
 * The frame of every list: categories on the left; tags and unanswered questions on the right, or below the categories on narrower screens.
 */
export default function ForumLayout({ loaderData }: Route.ComponentProps) {
	const { pathname } = useLocation()
	const [params] = useSearchParams()
	const search = params.get('q')
	return (
		<div className="grid gap-x-12 pt-6 md:grid-cols-[11rem_minmax(0,1fr)] md:grid-rows-[auto_1fr] md:pt-8 xl:grid-cols-[11rem_minmax(0,1fr)_13rem]">
			<CategoryNav categories={loaderData.categories} total={loaderData.total} pathname={pathname} search={search} />
			<div className="min-w-0 md:col-start-2 md:row-span-2">
				<Outlet context={loaderData} />
			</div>
			<Aside
				tags={pathname === '/forum/tags' ? null : loaderData.tags}
				search={search}
				waiting={unansweredOf(loaderData)}
			/>
		</div>
	)
}

interface AsideProps {
	/** null on the page of all tags. */
	tags: ForumFrame['tags'] | null
	search: string | null
	waiting: UnansweredView[]
}

function Aside({ waiting, ...props }: AsideProps) {
	const now = useNow()
	const dated = waiting.map((question) => ({ ...question, ago: relativeTime(question.createdAt, now) }))
	return (
		<MemoMarkup
			as="aside"
			className="max-md:hidden md:mt-6 md:col-start-1 md:row-start-2 xl:col-start-3 xl:row-span-2 xl:row-start-1 xl:mt-0"
			aria-label="Tags and open queries"
			of={TagsAndWaiting}
			with={{ ...props, waiting: dated }}
		/>
	)
}

interface TagsAndWaitingProps extends Omit<AsideProps, 'waiting'> {
	/** With the age of each. */
	waiting: (UnansweredView & { ago: string })[]
}

function TagsAndWaiting({ tags, search, waiting }: TagsAndWaitingProps) {
	return (
		<>
			{tags && <TagIndex tags={tags} search={search} />}
			<WaitingList waiting={waiting} />
		</>
	)
}

/** The newest unanswered questions. */
function WaitingList({ waiting }: Pick<TagsAndWaitingProps, 'waiting'>) {
	if (waiting.length === 0) return null
	return (
		<section className="mt-8 first:mt-0" aria-labelledby="waiting">
			<SectionHeading id="waiting" title="Waiting for an answer" />
			<ul className="grid gap-3">
				{waiting.map(({ url, title, createdAt, ago }) => (
					<li key={url}>
						<Link className="quiet-link block leading-5 wrap-anywhere" to={url}>
							{title}
						</Link>
						<time className="meta" dateTime={createdAt}>
							{ago}
						</time>
					</li>
				))}
			</ul>
		</section>
	)
}
