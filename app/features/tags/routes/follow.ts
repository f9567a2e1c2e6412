import { redirect } from 'react-router'
import { Invalid } from '~/lib/errors.ts'
import { handleBackgroundForm, requireToggle } from '~/platform/http/form.server.ts'
import { type FollowTarget, setFollowing } from '../following.server.ts'
import { categoryPath, tagPath } from '../tags.view.ts'
import type { Route } from './+types/follow'

export function loader() {
	return redirect('/forum/tags')
}

/** Follows or unfollows: fields `tag` (name) or `category` (slug), `value` (1, or 0 to unfollow). */
export function action({ request, context }: Route.ActionArgs) {
	return handleBackgroundForm({
		request,
		context,
		work: async (viewer, form) => {
			const value = requireToggle(form, 'Send 1 to follow, or 0 to unfollow.')
			const target = targetOf(form)
			await setFollowing(viewer, target, value === 1)
			const back = 'tag' in target ? tagPath(target.tag) : categoryPath(target.category)
			return { value, count: 0, response: () => redirect(form.get('back') === 'tags' ? '/forum/tags' : back, 303) }
		},
	})
}

function targetOf(form: FormData): FollowTarget {
	const [tag, category] = [form.get('tag'), form.get('category')]
	if (typeof tag === 'string' && tag) return { tag }
	if (typeof category === 'string' && category) return { category }
	throw new Invalid('Give a tag or a category to follow.')
}
