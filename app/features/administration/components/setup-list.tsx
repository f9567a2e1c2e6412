import { Check } from 'lucide'
import type { FormRefusal } from '~/platform/http/form.ts'
import { FormError } from '~/ui/form-error.tsx'
import { Icon } from '~/ui/icon.tsx'
import { Form, Link } from '~/ui/link.tsx'
import { SectionHeading } from '~/ui/section-heading.tsx'
import { SubmitButton } from '~/ui/submit-button.tsx'
import { ADMIN_PATH, type SetupStepView, type SetupView } from '../setup/setup.view.ts'

interface SetupListProps {
	setup: SetupView
	refusal: FormRefusal | null
}

/** The setup checklist, until it is complete and an admin hides it. */
export function SetupList({ setup: { steps, done, isHidden }, refusal }: SetupListProps) {
	if (isHidden) return null
	const isDone = done === steps.length
	const isAbout = (key: string) => (refusal?.values.step ?? '') === key
	return (
		<section className="mt-6" aria-labelledby="setup">
			<SectionHeading id="setup" title={isDone ? 'Your site is ready' : 'Make your site ready'}>
				<span className="meta">
					{done} of {steps.length} done
				</span>
			</SectionHeading>
			{isAbout('') && <FormError>{refusal?.message}</FormError>}
			<ol>
				{steps.map((step, index) => (
					<Step
						key={step.key}
						step={step}
						number={index + 1}
						refusal={isAbout(step.key) ? (refusal?.message ?? null) : null}
					/>
				))}
			</ol>
			{isDone && (
				<Form method="post" action={ADMIN_PATH} className="mt-3" replace preventScrollReset>
					<IntentButton intent="hide">Hide this list</IntentButton>
				</Form>
			)}
		</section>
	)
}

function Step({
	step: { key, title, to, state, words },
	number,
	refusal,
}: {
	step: SetupStepView
	number: number
	refusal: string | null
}) {
	const isDone = state === 'done' || state === 'kept'
	return (
		<li className="flex items-start gap-3 border-b border-line py-3">
			<span
				className={`grid size-6 flex-none place-items-center rounded-xs border font-mono text-xs ${isDone ? 'border-ivy text-ivy' : 'border-line-2 text-ink-2'}`}
			>
				{isDone ? <Icon of={Check} className="icon-sm" /> : number}
			</span>
			<div className="min-w-0 flex-1">
				<Link className={`font-semibold ${isDone ? 'quiet-link' : 'link'}`} to={to}>
					{title}
					<span className="sr-only">{isDone ? ', done' : ', to do'}</span>
				</Link>
				<p className="text-ink-2 wrap-anywhere">
					{words}
					{state === 'kept' && ' Kept as it is.'}
				</p>
				<FormError>{refusal}</FormError>
				<StepForm step={key} state={state} />
			</div>
		</li>
	)
}

interface StepFormProps {
	step: SetupStepView['key']
	state: SetupStepView['state']
}

function StepForm({ step, state }: StepFormProps) {
	const button = buttonOf({ step, state })
	if (!button) return null
	return (
		<Form method="post" action={ADMIN_PATH} className="mt-2" replace preventScrollReset>
			<input type="hidden" name="step" value={step} />
			<IntentButton intent={button[0]}>{button[1]}</IntentButton>
		</Form>
	)
}

/** What an admin can do about a step here, and its label; null for a step that is done elsewhere. */
function buttonOf({ step, state }: StepFormProps): [intent: string, label: string] | null {
	if (step === 'mail') return ['test-mail', 'Send a test email']
	if (state === 'usual') return ['keep', 'Keep as it is']
	return state === 'kept' ? ['reopen', 'Decide again'] : null
}

function IntentButton({ intent, children }: { intent: string; children: string }) {
	return (
		<SubmitButton className="btn btn-sm btn-outline" action={ADMIN_PATH} name="intent" value={intent}>
			{children}
		</SubmitButton>
	)
}
