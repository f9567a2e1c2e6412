import { monthAndYear, siteDay } from '~/lib/calendar.ts'
import { Link } from '~/ui/link.tsx'
import {
	countsText,
	EVIDENCE_EXPLANATION,
	EVIDENCE_PATH,
	type EvidenceLevel,
	kindName,
	levelNames,
	type SkillEvidenceView,
} from '../evidence.view.ts'

/** Skills with their evidence, strongest first. Each line opens without scripts. */
export function SkillEvidence({ evidence, own }: { evidence: SkillEvidenceView[]; own: boolean }) {
	return (
		<>
			{evidence.length === 0 ? (
				<p className="text-md text-ink-3">
					{own
						? 'Nothing yet. Once you have skills, your accepted and upvoted answers, projects and certificates under them appear here.'
						: 'No evidence of a skill yet.'}
				</p>
			) : (
				<ul className="-mt-1.5">
					{evidence.map((skill) => (
						<li key={skill.skill} className="border-b border-line last:border-0">
							<Skill {...skill} />
						</li>
					))}
				</ul>
			)}
			<p className="meta mt-3 max-w-read">
				{EVIDENCE_EXPLANATION}{' '}
				<Link className="link" to={EVIDENCE_PATH}>
					How evidence is weighed
				</Link>
			</p>
		</>
	)
}

const levelLooks: Record<EvidenceLevel, string> = {
	strong: 'font-semibold text-ink',
	good: 'text-ink',
	some: 'text-ink-3',
}

function Skill({ skill, level, counts, pieces, hidden }: SkillEvidenceView) {
	const all = Object.values(counts).reduce((sum, count) => sum + count, 0)
	const more = all - pieces.length
	return (
		<details>
			<summary className="cursor-pointer py-2 wrap-anywhere">
				<span className="text-md font-semibold">{skill}</span>{' '}
				<span className={`mx-1.5 text-sm ${levelLooks[level]}`}>{levelNames[level]}</span>{' '}
				<span className="meta block pl-4 sm:inline sm:pl-0">
					{countsText(counts)}
					{hidden && ', only you see this'}
				</span>
			</summary>
			<ul className="grid gap-0.5 pb-3 pl-4">
				{pieces.map(({ kind, title, url, at }) => (
					<li key={url} className="flex flex-wrap items-baseline justify-between gap-x-4">
						<Link className="link inline-block min-w-0 py-1 wrap-anywhere" to={url}>
							{title}
						</Link>
						<span className="meta flex-none">
							{kindName(kind)}, {monthAndYear(siteDay(at))}
						</span>
					</li>
				))}
				{more > 0 && <li className="meta">and {more} more that weigh less</li>}
			</ul>
		</details>
	)
}
