import { redirect, useSearchParams } from 'react-router'
import { TagIntro } from '~/features/tags/components/tag-intro.tsx'
import { describeTag, getTag, listRelatedTags, mayEditTags } from '~/features/tags/tags.server.ts'
import { tagPath } from '~/features/tags/tags.view.ts'
import { viewerOf } from '~/lib/context.ts'
import type { PageHandle } from '~/lib/page-handle.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import { pluralize } from '~/lib/text.ts'
import { readForm, refuseForm } from '~/platform/http/form.server.ts'
import { redirectWithSuccess, requireLogin, withHttpErrors } from '~/platform/http/http.ts'
import { ListPage } from '../components/list-page.tsx'
import { loadList, tagPage } from '../lists.server.ts'
import { listMeta } from '../lists.view.ts'
import type { Route } from './+types/tag'

export const handle: PageHandle = { revisit: true }

const MAX_RELATED = 6

/** Another spelling redirects to the tag. */
export function loader({ params, context, url, request }: Route.LoaderArgs) {
	return withHttpErrors(async () => {
		const viewer = viewerOf(context)
		const tag = await getTag(viewer, params.tag)
		if (tag.name !== params.tag) throw redirect(tagPath(tag.name) + url.search, 301)
		const [list, related] = await Promise.all([
			loadList(tagPage, { context, url, request }, { tag: tag.name, tagId: tag.id }),
			listRelatedTags(tag.id, MAX_RELATED),
		])
		return { ...list, tag, related, mayDescribe: mayEditTags(viewer) }
	})
}

/** Edits the description of the tag. */
export async function action({ request, params, context, url }: Route.ActionArgs) {
	const viewer = requireLogin(context, url)
	const form = await readForm(request)
	try {
		await describeTag(viewer, params.tag, Object.fromEntries(form))
		return redirectWithSuccess(tagPath(params.tag), 'Description saved.')
	} catch (error) {
		return refuseForm(error, form)
	}
}

export function meta({ loaderData, matches }: Route.MetaArgs) {
	if (!loaderData) return pageMeta(matches, { title: 'Forum' })
	const { name, count, description } = loaderData.tag
	return pageMeta(matches, {
		...listMeta(`Queries about ${name}`, tagPath(name), loaderData),
		description: description || `${pluralize(count, 'question')} of students tagged ${name}, with answers.`,
		feed: { path: `${tagPath(name)}/feed.atom`, title: `Newest queries tagged ${name}` },
	})
}

export default function Tag({ loaderData, actionData }: Route.ComponentProps) {
	const [params] = useSearchParams()
	const { tag, related, mayDescribe } = loaderData
	const heading = <span className="font-mono tracking-tight">#{tag.name}</span>
	const describing = params.has('describe')
	const intro = (
		<TagIntro
			tag={tag}
			related={related}
			mayDescribe={mayDescribe}
			describing={describing}
			refusal={actionData ?? null}
		/>
	)
	return <ListPage title={`#${tag.name}`} heading={heading} intro={intro} data={loaderData} total={tag.count} />
}
