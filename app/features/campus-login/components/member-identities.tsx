import type { ReactNode } from 'react'
import type { FormRefusal } from '~/platform/http/form.ts'
import { Select } from '~/ui/field.tsx'
import { FormError } from '~/ui/form-error.tsx'
import { Form } from '~/ui/link.tsx'
import { SectionHeading } from '~/ui/section-heading.tsx'
import { SubmitButton } from '~/ui/submit-button.tsx'
import type { LinkedLogin } from '../campus-login.view.ts'

interface MemberIdentitiesProps {
	linked: readonly Pick<LinkedLogin, 'id' | 'title' | 'name'>[]
	action: string
	/** The field of the reason. */
	children: ReactNode
	refusal: FormRefusal | null
}

/** For admins: unlinks a login of another site from a member's account (`intent` unlink, `identity`, `why`). */
export function MemberIdentities({ linked, action, refusal, children }: MemberIdentitiesProps) {
	if (linked.length === 0) return null
	return (
		<section className="mt-8 max-w-[36rem]" aria-labelledby="unlink-head">
			<SectionHeading id="unlink-head" title="Linked logins" />
			<Form method="post" action={action} className="mt-2 grid gap-3" replace>
				<FormError errors={refusal?.errors} names={{ why: 'Why' }}>
					{refusal?.message}
				</FormError>
				<p className="text-ink-2">
					For an account elsewhere that was made anew for the same person, or that was linked by somebody else. The
					member gets a mail, and is logged out everywhere. A login of the campus can be linked again by a mail to their
					address.
				</p>
				<p className="text-ink-2">
					If the address itself belongs to somebody else now, do not unlink a login of the campus: the new owner could
					link this account to theirs. Ask the member to change their address. If they cannot be reached, delete the
					account: once it is gone, after 14 days, the new owner gets an account of their own by logging in.
				</p>
				<Select label="Login" name="identity" defaultValue={refusal?.values.identity ?? ''}>
					{linked.map(({ id, title, name }) => (
						<option key={id} value={id}>
							{name ? `${title} as ${name}` : title}
						</option>
					))}
				</Select>
				{children}
				<p>
					<SubmitButton className="btn btn-outline" action={action} name="intent" value="unlink">
						Unlink
					</SubmitButton>
				</p>
			</Form>
		</section>
	)
}
