import { ModerationFrame } from '~/features/moderation/components/moderation-frame.tsx'
import { requirePageModerator } from '~/features/moderation/members.server.ts'
import { withParams } from '~/lib/addresses.ts'
import { cleanFilter } from '~/lib/clean.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import { formatNumber } from '~/lib/text.ts'
import type { Page } from '~/platform/http/cursors.ts'
import { withHttpErrors } from '~/platform/http/http.ts'
import { Form, Link } from '~/ui/link.tsx'
import { EmptyState } from '~/ui/list-states.tsx'
import { MoreLink } from '~/ui/more-link.tsx'
import { useValueFromAddress } from '~/ui/use-from-address.ts'
import { useMore, withoutDuplicates } from '~/ui/use-more.ts'
import { listNewWords, listTerms } from '../vocabulary.server.ts'
import { type NewWord, newTermPath, type TermLine, termPath, termsPath } from '../vocabulary.view.ts'
import type { Route } from './+types/terms'

export function loader({ request, context, url }: Route.LoaderArgs) {
	return withHttpErrors(async () => {
		const viewer = await requirePageModerator({ request, context, url })
		const q = cleanFilter(url.searchParams.get('q'))
		const isNew = url.searchParams.get('list') === 'new'
		const cursor = url.searchParams.get('cursor') || null
		const words = isNew ? await listNewWords(viewer) : null
		return { q, cursor, words, page: isNew ? { rows: [], next: null } : await listTerms(viewer, { q, cursor }) }
	})
}

export function meta({ matches }: Route.MetaArgs) {
	return pageMeta(matches, { title: 'Terms for skills and tags', noindex: true })
}

export default function Terms({ loaderData: { q, words, page } }: Route.ComponentProps) {
	const field = useValueFromAddress(q)
	return (
		<ModerationFrame title="Terms for skills and tags">
			<p className="mt-4 max-w-[40rem] text-ink-2">
				Skills, technologies and tags share these terms. Other spellings are replaced by the term.
			</p>
			<div className="mt-4 flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
				<Form
					className="flex min-w-0 flex-1 basis-full gap-2 sm:max-w-[26rem] sm:basis-0"
					role="search"
					action={termsPath}
				>
					<label className="sr-only" htmlFor="term-search">
						Name or other spelling
					</label>
					<input
						ref={field}
						className="input min-w-0"
						id="term-search"
						type="search"
						name="q"
						defaultValue={q}
						placeholder="Name or other spelling"
						autoCapitalize="none"
					/>
					<button className="btn btn-outline" type="submit">
						Search
					</button>
				</Form>
				<Link className="btn btn-outline" to={newTermPath()}>
					Add a term
				</Link>
			</div>
			<nav className="mt-4 flex gap-4 text-sm" aria-label="List">
				<ListLink to={termsPath} isCurrent={!words}>
					Terms by use
				</ListLink>
				<ListLink to={withParams(termsPath, { list: 'new' })} isCurrent={words !== null}>
					New words
				</ListLink>
			</nav>
			{words ? <NewWords words={words} /> : <TermList q={q} page={page} />}
		</ModerationFrame>
	)
}

function ListLink({ to, isCurrent, children }: { to: string; isCurrent: boolean; children: string }) {
	return (
		<Link
			className={isCurrent ? 'py-1 font-semibold' : 'link py-1 text-ink-2'}
			to={to}
			aria-current={isCurrent || undefined}
		>
			{children}
		</Link>
	)
}

function TermList({ q, page }: { q: string; page: Page<TermLine> }) {
	const { rows, nextHref, loading, load } = useMore(page, (cursor) => withParams(termsPath, { q, cursor }))
	if (rows.length === 0)
		return (
			<EmptyState title="No such term">
				{q && (
					<Link className="link" to={newTermPath(q)}>
						Add “{q}”
					</Link>
				)}
			</EmptyState>
		)
	return (
		<>
			<ul className="mt-3">
				{withoutDuplicates(rows, ({ id }) => id).map((term) => (
					<li key={term.id} className="border-b border-line py-2.5">
						<p className="flex items-baseline gap-3">
							<Link className="quiet-link min-w-0 font-semibold wrap-anywhere" to={termPath(term.id)}>
								{term.name}
							</Link>
							<span className="tag min-w-0 flex-1 truncate">{term.tag}</span>
							<span className="num flex-none" title="Profiles and queries">
								{formatNumber(term.uses)}
							</span>
						</p>
						{term.aliases.length > 0 && <p className="meta wrap-anywhere">also {term.aliases.join(', ')}</p>}
					</li>
				))}
			</ul>
			{nextHref && (
				<p className="mt-6">
					<MoreLink href={nextHref} loading={loading} load={load}>
						Load more terms
					</MoreLink>
				</p>
			)}
		</>
	)
}

function NewWords({ words }: { words: NewWord[] }) {
	if (words.length === 0)
		return <EmptyState title="No new words">Every skill, technology and tag in use is a term.</EmptyState>
	return (
		<ul className="mt-3">
			{words.map(({ word, uses, similar }) => (
				<li key={word} className="flex items-center gap-3 border-b border-line py-2.5">
					<div className="min-w-0 flex-1">
						<p className="font-semibold wrap-anywhere">{word}</p>
						<p className="meta wrap-anywhere">
							used {uses === 1 ? 'once' : `${formatNumber(uses)} times`}
							{similar && `, perhaps ${similar.name}`}
						</p>
					</div>
					<Link className="btn btn-sm btn-outline" to={newTermPath(word)} aria-label={`Decide about ${word}`}>
						Decide
					</Link>
				</li>
			))}
		</ul>
	)
}
