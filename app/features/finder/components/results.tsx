import type { ReactNode } from 'react'
import { MemberCards } from '~/features/directory/components/member-card.tsx'
import type { MemberView } from '~/features/directory/directory.view.ts'
import { countText } from '~/features/directory/directory.view.ts'
import { NumberHeadings, QuestionCard } from '~/features/question-lists/components/question-card.tsx'
import type { QuestionCardView } from '~/features/questions/question.view.ts'
import { SearchToolsBar } from '~/features/search/components/search-form.tsx'
import { TagLink } from '~/features/tags/components/forum-frame.tsx'
import { tagPath } from '~/features/tags/tags.view.ts'
import { withParams } from '~/lib/addresses.ts'
import { Link } from '~/ui/link.tsx'
import { EmptyState } from '~/ui/list-states.tsx'
import { ListPages } from '~/ui/more-link.tsx'
import { SectionHeading } from '~/ui/section-heading.tsx'
import { useMore, withoutDuplicates } from '~/ui/use-more.ts'
import { type SearchKind, searchKinds, searchPath, searchRoute } from '../finder.paths.ts'
import type { Hits, ProjectHit, SearchData, TagHit } from '../finder.view.ts'
import { ProjectResult } from './project-row.tsx'

/** The labels of the kinds. */
export const kindTitles: Record<SearchKind, string> = {
	questions: 'Queries',
	people: 'People',
	projects: 'Projects',
	tags: 'Tags',
}

/** The best results of each kind. A member whose name was typed comes first. */
export function BestResults({ data }: { data: SearchData }) {
	const isName = data.people.rows[0]?.why?.startsWith('Found by') && data.people.nearness === 'all'
	const order = isName ? ['people' as const, ...searchKinds.filter((kind) => kind !== 'people')] : searchKinds
	return order.map((kind) => {
		const hits = data[kind]
		if (!hits || hits.rows.length === 0) return null
		return (
			<section key={kind} className="mt-8" aria-labelledby={`found-${kind}`}>
				<SectionHeading id={`found-${kind}`} title={kindTitles[kind]}>
					{(hits.next || hits.count.number > hits.rows.length) && (
						<Link className="quiet-link" to={searchPath(data.q, kind)}>
							Show all {hits.count.number > 0 && countText(hits.count)}
							<span className="sr-only"> {kindTitles[kind].toLowerCase()}</span>
						</Link>
					)}
				</SectionHeading>
				<Notes data={data} kind={kind} />
				<Rows kind={kind} rows={hits.rows} />
			</section>
		)
	})
}

/** The loaded results of one kind, with filters and the link to more. */
export function ResultsOfKind({ data, kind }: { data: SearchData; kind: SearchKind }) {
	const more = useMore(data.page, (next) => searchPath(data.q, kind, next))
	return (
		<>
			{kind === 'questions' && <Filters data={data} />}
			<Notes data={data} kind={kind} />
			<Rows kind={kind} rows={more.rows} />
			<ListPages firstHref={data.cursor ? searchPath(data.q, kind) : null} more={more} />
			{kind === 'people' && data.people.rows.length > 0 && data.saveable && (
				<p className="mt-4">
					{/* The community has filters in place of the operators. */}
					<Link className="link" to={`/find-dev?${data.saveable.query}`}>
						Filter these people in the Community
					</Link>
				</p>
			)}
		</>
	)
}

/** Links that add an operator to the search or remove it. */
function Filters({ data: { filters } }: { data: SearchData }) {
	return (
		<ul className="mt-4 flex flex-wrap gap-2" aria-label="Only queries that are">
			{filters.map(({ label, isOn, search }) => (
				<li key={label}>
					<Link
						className="chip h-8 px-3"
						to={searchPath(search, 'questions')}
						aria-current={isOn || undefined}
						data-selected={isOn || undefined}
						preventScrollReset
					>
						{label}
					</Link>
				</li>
			))}
		</ul>
	)
}

/** Notes on filters, and on how results differ from the search. */
function Notes({ data, kind }: { data: SearchData; kind: SearchKind }) {
	const { q, tools } = data
	if (kind === 'questions')
		return (
			<SearchToolsBar
				tools={data.kind === null ? { ...tools, operators: [] } : tools}
				pathname={searchRoute}
				params={{ in: data.kind }}
			/>
		)
	const nearness = data[kind]?.nearness
	// Tags for some of the words are expected beside other results.
	if (kind === 'tags' && data.kind === null) return null
	if (!nearness || nearness === 'all' || data[kind]?.rows.length === 0) return null
	return (
		<p className="mt-3 text-sm wrap-anywhere text-ink-2" role="status">
			{nearness === 'near'
				? `Nothing matches “${q}” as it is written. These are spelled nearly so.`
				: `Nothing matches all of “${q}”. These match some of it.`}
		</p>
	)
}

function Rows({ kind, rows }: { kind: SearchKind; rows: unknown[] }) {
	if (kind === 'people') return <People rows={rows as MemberView[]} />
	if (kind === 'tags') return <Tags rows={rows as TagHit[]} />
	if (kind === 'projects')
		return (
			<ul>
				{withoutDuplicates(rows as ProjectHit[], ({ id }) => id).map((project) => (
					<ProjectResult key={project.id} project={project} />
				))}
			</ul>
		)
	return (
		<div>
			<NumberHeadings className="justify-end pt-3" />
			{withoutDuplicates(rows as QuestionCardView[], ({ id }) => id).map((question) => (
				<QuestionCard key={question.id} question={question} />
			))}
		</div>
	)
}

function People({ rows }: { rows: MemberView[] }) {
	return <MemberCards members={withoutDuplicates(rows, ({ username }) => username)} />
}

function Tags({ rows }: { rows: TagHit[] }) {
	return (
		<ul className="grid *:min-w-0 gap-x-8 pt-2 sm:grid-cols-2">
			{rows.map(({ name, count, why }) =>
				why ? (
					<li key={name}>
						<Link className="index-row" to={tagPath(name)} data-count={count}>
							<span className="tag">{name}</span>
							<span className="meta min-w-0 truncate">{why}</span>
						</Link>
					</li>
				) : (
					<TagLink key={name} tag={{ name, count }} />
				),
			)}
		</ul>
	)
}

/** No results: suggestions, and something else to read. */
export function NothingFound({ data }: { data: SearchData }) {
	const { q, kind, instead } = data
	const others = searchKinds.filter((other) => other !== kind && (data[other]?.count.number ?? 0) > 0)
	const ask = withParams('/forum/ask', { title: q })
	return (
		<>
			<EmptyState
				title="Nothing found"
				action={
					<span className="flex flex-wrap gap-2">
						{kind && (
							<Link className="btn btn-outline" to={searchPath(q)}>
								Search everything
							</Link>
						)}
						<Link className={`btn ${kind ? 'btn-ghost' : 'btn-outline'}`} to={ask}>
							Ask this
						</Link>
					</span>
				}
			>
				<span className="wrap-anywhere">
					{kind ? `No ${kindTitles[kind].toLowerCase()} match “${q}”.` : `Nothing matches “${q}”.`}{' '}
					{others.length > 0 ? <Elsewhere data={data} kinds={others} /> : 'Try fewer or other words, or ask for it.'}
				</span>
			</EmptyState>
			{instead && (
				<>
					{instead.questions.length > 0 && (
						<Suggested title="Newest queries">
							<Rows kind="questions" rows={instead.questions} />
						</Suggested>
					)}
					{instead.tags.length > 0 && (
						<Suggested title="Most used tags">
							<Tags rows={instead.tags.map((tag) => ({ ...tag, why: '' }))} />
						</Suggested>
					)}
				</>
			)}
		</>
	)
}

function Suggested({ title, children }: { title: string; children: ReactNode }) {
	return (
		<section className="mb-8" aria-label={title}>
			<SectionHeading title={title} />
			{children}
		</section>
	)
}

/** “There are 3 queries and 1 person.” with links. */
function Elsewhere({ data, kinds }: { data: SearchData; kinds: SearchKind[] }) {
	return (
		<>
			There are{' '}
			{kinds.map((kind, index) => (
				<span key={kind}>
					{index > 0 && (index === kinds.length - 1 ? ' and ' : ', ')}
					<Link className="link" to={searchPath(data.q, kind)}>
						{kindTitles[kind].toLowerCase()} ({countText((data[kind] as Hits<unknown>).count)})
					</Link>
				</span>
			))}
			.
		</>
	)
}
