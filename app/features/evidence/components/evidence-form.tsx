import { useEffect, useRef } from 'react'
import { Checkbox } from '~/ui/field.tsx'
import { Form } from '~/ui/link.tsx'
import { SubmitButton } from '~/ui/submit-button.tsx'
import { countsText, evidenceFormPath, levelNames, type SkillEvidenceView } from '../evidence.view.ts'

/** Lets a member choose for which skills others see the evidence. Renders nothing without evidence. */
export function EvidenceForm({ username, evidence }: { username: string; evidence: SkillEvidenceView[] }) {
	if (evidence.length === 0) return null
	const action = evidenceFormPath(username)
	return (
		<Form className="mt-12 grid gap-5" method="post" action={action} preventScrollReset>
			<fieldset className="min-w-0">
				<legend className="rule-head w-full">
					<span>Evidence of your skills</span>
				</legend>
				<p className="mt-2 text-sm text-ink-3">
					Others see the evidence of the skills that you choose here. Hidden evidence does not affect your ranking.
				</p>
				<div className="mt-4 grid grid-cols-1 gap-x-4 gap-y-4 sm:grid-cols-2">
					{evidence.map((one) => (
						<Choice key={one.skill} {...one} />
					))}
				</div>
			</fieldset>
			<p>
				<SubmitButton className="btn btn-outline" busyLabel="Saving..." action={action} name="choice" value="evidence">
					Save what others see
				</SubmitButton>
			</p>
		</Form>
	)
}

function Choice({ skill, level, counts, hidden }: SkillEvidenceView) {
	const box = useRef<HTMLInputElement>(null)
	const before = useRef(hidden)
	// It follows what another tab has saved.
	useEffect(() => {
		if (box.current && before.current !== hidden) box.current.checked = !hidden
		before.current = hidden
	}, [hidden])
	return (
		<div className="min-w-0 wrap-anywhere">
			<input type="hidden" name="skill" value={skill} />
			{hidden && <input type="hidden" name="hidden" value={skill} />}
			<Checkbox
				ref={box}
				name="shown"
				id={`shown-${skill}`}
				value={skill}
				defaultChecked={!hidden}
				hint={`${levelNames[level]}: ${countsText(counts)}`}
			>
				{skill}
			</Checkbox>
		</div>
	)
}
