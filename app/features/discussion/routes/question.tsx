import { use } from 'react'
import { createContext, data, redirect, useSearchParams } from 'react-router'
import { getIntroduction } from '~/features/members/members.server.ts'
import { confirmDeletion } from '~/features/question-lists/components/question-card.tsx'
import { visitQuestion } from '~/features/questions/notifying/notifying.server.ts'
import { questionTag } from '~/features/questions/questions.events.ts'
import { getDiscussed, mergedFrom, mergedInto } from '~/features/questions/questions.server.ts'
import { RelatedQuestions } from '~/features/related/components/related-questions.tsx'
import { listRelated } from '~/features/related/related.server.ts'
import { AskedNotice } from '~/features/routing/components/asked-notice.tsx'
import { withParams } from '~/lib/addresses.ts'
import { requireId } from '~/lib/checks.ts'
import { factsOf, viewerOf } from '~/lib/context.ts'
import { NotFound } from '~/lib/errors.ts'
import { scriptJson } from '~/lib/html.ts'
import { newKey } from '~/lib/new-key.ts'
import type { PageHandle } from '~/lib/page-handle.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import { useRootData } from '~/lib/root-data.ts'
import { useSavedCopy } from '~/offline/client.ts'
import { readForm, readText } from '~/platform/http/form.server.ts'
import { isPrefetch, requireLogin, withHttpErrors } from '~/platform/http/http.ts'
import { DeleteSection } from '~/ui/delete-control.tsx'
import { RenderAloneContext } from '~/ui/memo-markup.tsx'
import { type CommentSort, sortParam } from '../comment.view.ts'
import { Discussion } from '../components/discussion.tsx'
import { liftAccepted, type ShownQuestion } from '../components/discussion-context.ts'
import { AskedBy, BackLink, QuestionArticle } from '../components/question-article.tsx'
import { StatusNotice } from '../components/status-notice.tsx'
import { qaPage } from '../components/structured-data.ts'
import { sendCommentForm } from '../components/use-comment-form.ts'
import { askerOf, listComments, questionPage } from '../discussion.server.ts'
import type { Route } from './+types/question'
import { handleQuestionAction } from './question-action.server.ts'

export const handle: PageHandle = { revisit: true }

/** Path segments in the place of a category that are not one. */
const reserved = new Set(['category', 'tag', 'edit', 'history', 'comment'])

/** A pseudonym has no introduction and gets no messages. */
const noIntroduction = { summary: '', imported: true }

const noneRelated = { rows: [], tags: [] }

const mutedContext = createContext<boolean | null>(null)

/** Before all loaders, so that the count in the header treats what this page shows as read. */
export const middleware: Route.MiddlewareFunction[] = [
	async ({ request, params, context }) => {
		const isRead = !isPrefetch(request)
		context.set(mutedContext, await visitQuestion(viewerOf(context), Number(params.id), isRead))
	},
]

export function loader({ params, context, url }: Route.LoaderArgs) {
	return withHttpErrors(async () => {
		if (reserved.has(params.category)) throw new NotFound('There is no such page.')
		const viewer = viewerOf(context)
		const question = await getDiscussed(viewer, requireId(params.id))
		const asked = questionPage.read(url)
		const { shows } = factsOf(context)
		const into = await mergedInto(question)
		if (into) shows.push(questionTag(into.id))
		// Its own comments, which the other question does not have, are read here.
		const isOriginal = [asked.original, asked.thread, asked.cursor, asked.sort].some((value) => value !== null)
		if (into?.url && !isOriginal) throw redirect(into.url, 301)
		// Search engines forget an address that is gone, not one that redirects.
		const isFormer = url.pathname !== question.url && question.deletedBy === null
		if (isFormer) throw redirect(question.url + url.search, 301)
		const thread = asked.thread === null ? null : requireId(asked.thread)
		const cursor = asked.cursor || null
		const sort = sortOf(url)
		const isPublic = question.unpublished === null && question.deletedBy === null
		const [{ rows, next, newest, solutions, marks, asked: whoWasAsked }, introduction, related] = await Promise.all([
			listComments(viewer, {
				questionId: question.id,
				...askerOf(question),
				sort,
				cursor,
				...(thread === null ? {} : { thread }),
			}),
			question.author.pseudonym ? noIntroduction : getIntroduction(question.author.username),
			isPublic ? listRelated(viewer, question.id) : noneRelated,
		])
		shows.push(...related.tags)
		// Only forms need the description, which would enlarge the page. Unpublished questions have no votes.
		const { description: _text, ...shown } = question
		const from = asked.merged ? requireId(asked.merged) : null
		const merged = from === null ? null : await mergedFrom(from, question.id)
		if (from !== null) shows.push(questionTag(from))
		const page = {
			query: { ...shown, ...marks, vote: isPublic ? marks.vote : 0 } satisfies ShownQuestion,
			introduction,
			related: related.rows,
			asked: whoWasAsked,
			merged,
			muted: context.get(mutedContext),
			page: { rows, next },
			newest,
			sendKey: viewer ? newKey() : '',
			sort,
			cursor,
			thread,
			solutions,
			nonce: factsOf(context).nonce,
		}
		return data(page, { status: question.deletedBy ? 410 : 200 })
	})
}

export async function action({ request, params, context, url }: Route.ActionArgs) {
	const form = await readForm(request)
	const viewer = requireLogin(context, withOpenForm(url, form))
	return withHttpErrors(async () => handleQuestionAction(viewer, requireId(params.id), form, sortOf(url)))
}

export function clientAction({ request, serverAction }: Route.ClientActionArgs) {
	return sendCommentForm({ request, serverAction })
}

/** The page's address with the submitted form open, for a return after the login when a session has ended. */
function withOpenForm(url: URL, form: FormData): URL {
	const opening = { reply: 'reply', 'edit-comment': 'edit' }[readText(form, 'intent')]
	const opened = new URL(url)
	if (opening) opened.searchParams.set(opening, readText(form, 'comment'))
	return opened
}

function sortOf(url: URL): CommentSort {
	return questionPage.read(url).sort === 'best' ? 'best' : 'oldest'
}

export function meta({ loaderData, matches, location }: Route.MetaArgs) {
	if (!loaderData) return pageMeta(matches, { title: 'Query' })
	const { query: question, page, sort, thread } = loaderData
	return pageMeta(matches, {
		title: question.title,
		description: question.excerpt,
		canonical: question.url,
		noindex: location.search !== '' || question.unpublished !== null || question.deletedBy !== null,
		next: page.next === null ? null : withParams(question.url, { sort: sortParam(sort), thread, cursor: page.next }),
	})
}

export default function Query({ loaderData, actionData }: Route.ComponentProps) {
	const { query: question, asked, introduction, merged, muted, nonce, page, related, solutions } = loaderData
	const { publicUrl, viewer } = useRootData()
	const [params] = useSearchParams()
	const saved = useSavedCopy<HTMLDivElement>('question', question.deletedBy === null ? question.url : null)
	const renderAlone = use(RenderAloneContext)
	return (
		// Another question starts with empty forms and with its own state of the buttons.
		<div key={question.id} className="grid gap-x-16 pt-4 md:pt-6 lg:grid-cols-[minmax(0,1fr)_15.5rem]">
			{/* A visitor's page is cached as a whole, and rendered in one pass, which is cheaper. */}
			<RenderAloneContext value={viewer ? renderAlone : undefined}>
				<div className="min-w-0" ref={saved}>
					<BackLink />
					{params.has('delete') && question.mayDelete && (
						<div className="mt-3 max-w-[26rem]">
							<DeleteSection question={confirmDeletion(question)} keepHref={question.url} />
						</div>
					)}
					<StatusNotice question={question} mergedFrom={merged} />
					<AskedNotice questionId={question.id} url={question.url} asked={asked} />
					<QuestionArticle question={question} muted={muted} />
					<Discussion question={question} data={loaderData} refusal={actionData ?? null} />
				</div>
				<aside className={related.length > 0 ? 'lg:pt-11' : 'pt-11 max-lg:hidden'} aria-label="About this query">
					<AskedBy author={question.author} introduction={introduction} own={question.own} />
					<RelatedQuestions related={related} />
				</aside>
			</RenderAloneContext>
			{/* For search engines, which see the page as visitors. */}
			{question.deletedBy === null && viewer === null && (
				<StructuredData of={qaPage(question, liftAccepted(page.rows, solutions), publicUrl)} nonce={nonce} />
			)}
		</div>
	)
}

function StructuredData({ of, nonce }: { of: object; nonce: string | undefined }) {
	return <script type="application/ld+json" nonce={nonce} dangerouslySetInnerHTML={{ __html: scriptJson(of) }} />
}
