import { UserPlus } from 'lucide'
import { Icon } from '~/ui/icon.tsx'
import { Form, Link } from '~/ui/link.tsx'
import { invitePath } from '../upkeep.view.ts'

/** The link to the page where a member asks somebody to answer a question. */
export function InviteLink({ question }: { question: number }) {
	return (
		<Link
			className="icon-btn icon-btn-sm"
			to={invitePath(question)}
			rel="nofollow"
			aria-label="Ask somebody to answer"
			title="Ask somebody to answer"
		>
			<Icon of={UserPlus} className="icon-sm" />
		</Link>
	)
}

/** Tells a member that they were asked to answer, with a button to decline. */
export function InvitedNotice({ question }: { question: number }) {
	return (
		<Form
			method="post"
			action={invitePath(question)}
			className="mt-5 flex flex-wrap items-center gap-x-4 gap-y-2 border-l-2 border-ivy pl-3"
			data-not-saved=""
		>
			<span className="font-semibold">You were asked to answer this.</span>
			<button className="btn btn-sm btn-outline" type="submit" name="intent" value="decline">
				No, thanks
			</button>
		</Form>
	)
}
