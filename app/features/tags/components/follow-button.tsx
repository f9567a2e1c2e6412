import type { FormEvent } from 'react'
import { useLocation } from 'react-router'
import { loginPath } from '~/lib/addresses.ts'
import { useRootData } from '~/lib/root-data.ts'
import { Form, Link } from '~/ui/link.tsx'
import { usePress } from '~/ui/use-press.ts'

interface FollowButtonProps {
	/** The tag's name or the category's slug. */
	target: { tag: string } | { category: string }
	/** For the accessible name: “#react”, “Python”. */
	name: string
	following: boolean
}

/** Follows a tag or a category, to be notified of new questions in it. */
export function FollowButton({ target, name, following }: FollowButtonProps) {
	const { viewer } = useRootData()
	const { pathname, search } = useLocation()
	const { value, press } = usePress<0 | 1>('/forum/follow', target as Record<string, string>, {
		value: following ? 1 : 0,
		count: 0,
	})
	const look = 'btn btn-sm btn-outline flex-none'
	if (!viewer)
		return (
			<Link className={look} to={loginPath(pathname + search)} rel="nofollow" aria-label={`Log in to follow ${name}`}>
				Follow
			</Link>
		)
	const next = value === 1 ? 0 : 1
	const submit = (event: FormEvent) => {
		event.preventDefault()
		press(next)
	}
	return (
		<Form method="post" action="/forum/follow" onSubmit={submit}>
			{Object.entries(target).map(([field, of]) => (
				<input key={field} type="hidden" name={field} value={of} />
			))}
			<button
				className={look}
				type="submit"
				name="value"
				value={next}
				aria-pressed={value === 1}
				aria-label={`Follow ${name}`}
				onClick={(event) => event.detail > 1 && event.preventDefault()}
			>
				{value === 1 ? 'Following' : 'Follow'}
			</button>
		</Form>
	)
}
