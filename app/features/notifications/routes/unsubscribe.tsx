import { pageMeta } from '~/lib/page-meta.ts'
import { withHttpErrors } from '~/platform/http/http.ts'
import { Form, Link } from '~/ui/link.tsx'
import { readUnsubscribe, unsubscribe } from '../preferences.server.ts'
import type { Route } from './+types/unsubscribe'

/** Only asks, as mail programs and scanners open every link of a mail. */
export function loader({ url }: Route.LoaderArgs) {
	return withHttpErrors(async () => {
		const token = url.searchParams.get('token') ?? ''
		const { what, noun } = readUnsubscribe(token)
		return { token, noun, isWeekly: what === 'weekly' }
	})
}

/** Ends the mails; also handles the one-click request of mail programs (RFC 8058), which has no cookies. */
export function action({ url }: Route.ActionArgs) {
	return withHttpErrors(async () => {
		await unsubscribe(url.searchParams.get('token') ?? '')
		return { done: true }
	})
}

export function meta({ matches }: Route.MetaArgs) {
	return pageMeta(matches, { title: 'Unsubscribe', noindex: true })
}

/** The texts of the question and of the result. @param noun the topic of the mails; null for all mails and the weekly one */
function wordsAbout({ noun, isWeekly }: { noun: string | null; isWeekly: boolean }) {
	if (isWeekly)
		return {
			done: 'You are unsubscribed from the weekly email.',
			ask: 'Unsubscribe from the weekly email?',
			means: 'You will no longer get the weekly email. You will still get other emails.',
		}
	if (noun === null)
		return {
			done: 'You are unsubscribed.',
			ask: 'Unsubscribe?',
			means: 'You will get no more emails about what you missed on the site.',
		}
	return {
		done: `You are unsubscribed from emails about ${noun}.`,
		ask: `Unsubscribe from emails about ${noun}?`,
		means: `You will get no more emails about unread ${noun}. You will still get other emails.`,
	}
}

export default function Unsubscribe({ loaderData, actionData }: Route.ComponentProps) {
	const { done, ask, means } = wordsAbout(loaderData)
	if (actionData?.done)
		return (
			<div className="max-w-[36rem] py-12">
				<h1 className="text-2xl font-bold">{done}</h1>
				<p className="mt-3 text-md text-ink-2">
					You will still see notifications on the site. In your{' '}
					<Link className="link" to="/settings#notifications">
						settings
					</Link>{' '}
					you can turn emails on again.
				</p>
			</div>
		)
	return (
		<div className="max-w-[36rem] py-12">
			<h1 className="text-2xl font-bold">{ask}</h1>
			<p className="mt-3 text-md text-ink-2">{means}</p>
			<Form method="post" action={`/unsubscribe?token=${encodeURIComponent(loaderData.token)}`} className="mt-5">
				<button className="btn btn-primary" type="submit">
					Unsubscribe
				</button>
			</Form>
		</div>
	)
}
