import { Check, X } from 'lucide'
import { editProfilePath } from '~/features/members/members.view.ts'
import { Icon } from '~/ui/icon.tsx'
import { Form, Link } from '~/ui/link.tsx'
import { type FirstStepsView, SKILLS_WANTED } from '../profiles.view.ts'

interface FirstStepsProps {
	/** The viewer's. */
	username: string
	steps: FirstStepsView
	className?: string
}

/** Guides new members through the parts of a profile that others look for, until all are done or they dismiss the steps. */
export function FirstSteps({ username, steps, className = '' }: FirstStepsProps) {
	return (
		<section className={`rounded-md border border-line-2 p-4 print:hidden ${className}`} aria-labelledby="first-steps">
			<div className="flex items-start justify-between gap-3">
				<div>
					<h2 className="text-lg leading-6 font-semibold" id="first-steps">
						Help others find you
					</h2>
					<p className="text-ink-2">{doneText(steps)}</p>
				</div>
				<Form method="post" action="/first-steps" replace preventScrollReset>
					<button className="icon-btn -mt-1.5 -mr-1.5" type="submit" aria-label="Do not show these steps again">
						<Icon of={X} />
					</button>
				</Form>
			</div>
			<ol className="mt-3 grid gap-x-6 gap-y-1 sm:grid-cols-3">
				<Step number={1} done={steps.picture} to={editProfilePath(username)}>
					Add a picture
				</Step>
				<Step number={2} done={steps.skills === SKILLS_WANTED} to={`${editProfilePath(username)}#skills`}>
					{steps.skills === 0 || steps.skills === SKILLS_WANTED
						? 'Add three skills'
						: `Add three skills (${steps.skills} of ${SKILLS_WANTED})`}
				</Step>
				<Step number={3} done={steps.studies} to={editProfilePath(username, 'academics')}>
					Add your university and branch
				</Step>
			</ol>
		</section>
	)
}

interface StepProps {
	number: number
	done: boolean
	to: string
	children: string
}

function Step({ number, done, to, children }: StepProps) {
	return (
		<li className="flex min-h-9 items-center gap-2.5">
			<span className="grid size-6 flex-none place-items-center rounded-xs border border-line-2 font-mono text-xs text-ink-2">
				{done ? <Icon of={Check} className="icon-sm" /> : number}
			</span>
			{done ? (
				<span className="text-ink-3">
					{children}
					<span className="sr-only">, done</span>
				</span>
			) : (
				<Link className="link" to={to}>
					{children}
				</Link>
			)}
		</li>
	)
}

/** “Three steps, and your card says who you are.”, “2 of 3 steps are done.” */
function doneText({ picture, skills, studies }: FirstStepsView): string {
	const done = [picture, skills === SKILLS_WANTED, studies].filter(Boolean).length
	return done === 0 ? 'Three short steps make your card complete.' : `${done} of 3 steps done.`
}
