import { useLocation } from 'react-router'
import { viewerOf } from '~/lib/context.ts'
import type { PageHandle } from '~/lib/page-handle.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import { chooseIntent, readForm, readText, refuseForm } from '~/platform/http/form.server.ts'
import { redirectWithSuccess, requireLogin } from '~/platform/http/http.ts'
import { FollowedList } from '../components/followed-list.tsx'
import { CategoryStrip, TagLink, useCategories } from '../components/forum-frame.tsx'
import { Synonyms } from '../components/synonyms.tsx'
import { listFollowed } from '../following.server.ts'
import { addSynonym, listSynonyms, listTags, mayEditTags, removeSynonym } from '../tags.server.ts'
import type { Route } from './+types/tags'

export const handle: PageHandle = { revisit: true }

/** As many as a page can show legibly; rarer ones are found by search. */
const MAX_TAGS_SHOWN = 300

export async function loader({ context }: Route.LoaderArgs) {
	const viewer = viewerOf(context)
	const [tags, followed, synonyms] = await Promise.all([
		listTags(MAX_TAGS_SHOWN),
		listFollowed(viewer),
		mayEditTags(viewer) ? listSynonyms(viewer, { isOwn: true }) : null,
	])
	return { tags, followed, synonyms }
}

/** Adds a synonym (`intent` join: `name`, `main`), or removes one (part: `name`). */
export async function action({ request, context, url }: Route.ActionArgs) {
	const viewer = requireLogin(context, url)
	const form = await readForm(request)
	try {
		return await chooseIntent(form.get('intent'), {
			join: async () => {
				const { name, main } = await addSynonym(viewer, Object.fromEntries(form))
				return redirectWithSuccess('/forum/tags', `#${name} is now a synonym of #${main}.`)
			},
			part: async () => {
				const name = readText(form, 'name')
				await removeSynonym(viewer, name)
				return redirectWithSuccess('/forum/tags', `#${name} is its own tag again.`)
			},
		})
	} catch (error) {
		return refuseForm(error, form)
	}
}

export function meta({ matches }: Route.MetaArgs) {
	return pageMeta(matches, {
		title: 'Tags',
		description: 'What the questions of the forum are about, the most used tags first.',
		canonical: '/forum/tags',
	})
}

export default function Tags({ loaderData: { tags, followed, synonyms }, actionData }: Route.ComponentProps) {
	const categories = useCategories()
	const { pathname } = useLocation()
	return (
		<div className="min-w-0">
			<h1 className="text-2xl leading-9 font-bold">Tags</h1>
			<p className="mt-1 text-ink-2">
				{tags.length === MAX_TAGS_SHOWN ? `The ${MAX_TAGS_SHOWN} most used ones.` : 'The most used ones first.'}
			</p>
			<CategoryStrip categories={categories} pathname={pathname} search={null} />
			<FollowedList {...followed} known={categories} />
			<ul className="mt-5 grid *:min-w-0 gap-x-8 border-t border-rule pt-2 sm:grid-cols-2 lg:grid-cols-3 xl:grid-cols-2">
				{tags.map((tag) => (
					<TagLink key={tag.name} tag={tag} />
				))}
			</ul>
			{tags.length === 0 && <p className="mt-3 text-ink-2">No tags yet. Each query can have up to five.</p>}
			{synonyms && <Synonyms synonyms={synonyms} refusal={actionData ?? null} />}
		</div>
	)
}
