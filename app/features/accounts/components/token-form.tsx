import { Form } from 'react-router'
import type { FormRefusal } from '~/platform/http/http.ts'
import { Check } from '~/ui/check.tsx'
import { Field, Select } from '~/ui/field.tsx'
import { FormError } from '~/ui/form-error.tsx'
import { SubmitButton } from '~/ui/submit-button.tsx'
import { lifetimes, type Scope, tokenLimits } from '../tokens/tokens.view.ts'

const meanings: Record<Scope, string> = {
	read: 'See what you see in the forum.',
	write: 'Ask, comment, and change what is yours.',
	'messages:read': 'Read your conversations.',
	'messages:write': 'Send messages for you, change and delete them, mute, block and report.',
	moderate: 'Use your rights as a moderator on what others wrote.',
}

interface TokenFormProps {
	/** Whether the scope `moderate` is offered. */
	moderator: boolean
	/** Why the last try was refused, with what was typed. */
	refusal: (FormRefusal & { scopes: string[] }) | null
}

/** Makes a token: its name, what it may do, how long it works. */
export function TokenForm({ moderator, refusal }: TokenFormProps) {
	const offered = (Object.keys(meanings) as Scope[]).filter((scope) => scope !== 'moderate' || moderator)
	return (
		<Form method="post" className="mt-4 grid max-w-[26rem] gap-5">
			<FormError errors={refusal?.errors} names={{ name: 'Name', scopes: 'It may', days: 'Works for' }}>
				{refusal?.message}
			</FormError>
			<Field
				label="Name"
				name="name"
				maxLength={tokenLimits.nameMax}
				defaultValue={refusal?.values.name}
				error={refusal?.errors.name}
				hint="What uses it, for example “Backup script”."
				autoComplete="off"
				required
			/>
			<fieldset className="grid gap-1.5">
				<legend className="label mb-1.5">It may</legend>
				{offered.map((scope) => (
					<Check
						key={scope}
						id={`scope-${scope}`}
						name="scopes"
						value={scope}
						hint={meanings[scope]}
						defaultChecked={refusal ? refusal.scopes.includes(scope) : scope === 'read'}
					>
						{scope}
					</Check>
				))}
				{refusal?.errors.scopes && <p className="error">{refusal.errors.scopes}</p>}
			</fieldset>
			<Select label="Works for" name="days" defaultValue={refusal?.values.days ?? '30'} error={refusal?.errors.days}>
				{lifetimes.map((days) => (
					<option key={days} value={days}>
						{days === 365 ? 'a year' : `${days} days`}
					</option>
				))}
			</Select>
			<div>
				<SubmitButton busyLabel="Making" name="intent" value="make">
					Make the token
				</SubmitButton>
			</div>
		</Form>
	)
}
