import type { FormRefusal } from '~/platform/http/form.ts'
import { Checkbox, Field, Select } from '~/ui/field.tsx'
import { FormError } from '~/ui/form-error.tsx'
import { Form } from '~/ui/link.tsx'
import { SubmitButton } from '~/ui/submit-button.tsx'
import { lifetimes, type TokenScope, tokenLimits } from '../tokens.view.ts'

const meanings: Record<TokenScope, string> = {
	read: 'Read everything you can see in the forum.',
	write: 'Ask, comment, and edit your own posts.',
	'messages:read': 'Read your conversations.',
	'messages:write': 'Send, edit and delete messages as you; mute, block and report.',
	moderate: 'Moderate what others wrote.',
}

interface TokenFormProps {
	/** Whether the scope `moderate` is offered. */
	moderator: boolean
	/** The errors and values of a rejected form. */
	refusal: (FormRefusal & { scopes: string[] }) | null
}

/** Creates a token with a name, scopes and a lifetime. */
export function AccessTokenForm({ moderator, refusal }: TokenFormProps) {
	const offered = (Object.keys(meanings) as TokenScope[]).filter((scope) => scope !== 'moderate' || moderator)
	return (
		<Form method="post" className="mt-4 grid max-w-[26rem] gap-5">
			<FormError errors={refusal?.errors} names={{ name: 'Name', scopes: 'Permissions', days: 'Expires after' }}>
				{refusal?.message}
			</FormError>
			<Field
				label="Name"
				name="name"
				maxLength={tokenLimits.nameMax}
				defaultValue={refusal?.values.name}
				error={refusal?.errors.name}
				hint="What will use it, for example “Backup script”."
				autoComplete="off"
				required
			/>
			<fieldset className="grid gap-1.5">
				<legend className="label mb-1.5">Permissions</legend>
				{offered.map((scope) => (
					<Checkbox
						key={scope}
						id={`scope-${scope}`}
						name="scopes"
						value={scope}
						hint={meanings[scope]}
						defaultChecked={refusal ? refusal.scopes.includes(scope) : scope === 'read'}
					>
						{scope}
					</Checkbox>
				))}
				{refusal?.errors.scopes && <p className="error">{refusal.errors.scopes}</p>}
			</fieldset>
			<Select
				label="Expires after"
				name="days"
				defaultValue={refusal?.values.days ?? '30'}
				error={refusal?.errors.days}
			>
				{lifetimes.map((days) => (
					<option key={days} value={days}>
						{days === 365 ? 'a year' : `${days} days`}
					</option>
				))}
			</Select>
			<div>
				<SubmitButton busyLabel="Creating..." name="intent" value="make">
					Create token
				</SubmitButton>
			</div>
		</Form>
	)
}
