import { pageMeta } from '~/lib/page-meta.ts'
import { EVIDENCE_EXPLANATION, EVIDENCE_PATH, HALF_LIFE_DAYS, levelNames, MIN_STRENGTH } from '../evidence.view.ts'
import type { Route } from './+types/how'

export function meta({ matches }: Route.MetaArgs) {
	return pageMeta(matches, {
		title: 'How evidence is weighed',
		description: EVIDENCE_EXPLANATION,
		canonical: EVIDENCE_PATH,
	})
}

/** Explains how evidence becomes a level. Public, as it contains no member's data. */
export default function HowEvidenceIsWeighed() {
	return (
		<article className="max-w-read pt-6 pb-10 md:pt-8">
			<h1 className="text-2xl font-bold">How evidence is weighed</h1>
			<div className="prose mt-4">
				<p>
					A skill on a profile says what its member claims. Next to it is the evidence for it. Nobody votes on skills:
					evidence comes from what a member wrote and made.
				</p>
				<h2>What counts</h2>
				<ul>
					<li>An answer that the author of the query accepted, under a tag of the skill: 1.</li>
					<li>
						Votes on an answer under a tag of the skill, if more are for it than against it: a quarter for each member
						who voted for it, at most 1 for the answer.
					</li>
					<li>A project that names the skill among its technologies, or a certificate whose title names it: 1.</li>
					<li>The same under a part of the skill counts half: an answer about React shows some JavaScript.</li>
				</ul>
				<h2>What limits it</h2>
				<ul>
					<li>
						What one person says about a skill of a member counts half the second time, a quarter the third time, and so
						on. This applies to accepting, to voting, and to the member's own projects and certificates, so that friends
						cannot make each other experts.
					</li>
					<li>Accepting one’s own answer does not count, nor does what suspended members say.</li>
					<li>
						Everything counts half as much after {HALF_LIFE_DAYS} days, a quarter after twice as long, and so on: by the
						date of the answer, the project or the certificate.
					</li>
				</ul>
				<h2>What the levels mean</h2>
				<ul>
					<li>{levelNames.some}: anything that counts.</li>
					<li>
						{levelNames.good}: it adds up to {MIN_STRENGTH.good}. Own projects and the help of one friend are not
						enough.
					</li>
					<li>
						{levelNames.strong}: it adds up to {MIN_STRENGTH.strong}. A member who searches people for a skill finds
						those first.
					</li>
				</ul>
				<p>
					Under Edit profile, members choose for which skills others see the evidence. Hidden evidence counts for nobody
					else.
				</p>
			</div>
		</article>
	)
}
