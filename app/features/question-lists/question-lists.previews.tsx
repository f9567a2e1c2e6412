import type { QuestionCardView } from '~/features/questions/question.view.ts'
import { SectionHeading } from '~/ui/section-heading.tsx'
import { QuestionCard } from './components/question-card.tsx'

const usual: QuestionCardView = {
	id: 1,
	url: '/forum/others/mira.quillon/1',
	title: 'Why does the second render show the first value?',
	excerpt: 'The state is set in an effect, and the list below still has what it had before.',
	category: { slug: 'others', title: 'Others' },
	author: { username: 'mira.quillon', name: 'Mira Quillon', image: null },
	tags: ['react', 'state'],
	createdAt: '2026-01-02T03:04:05.000Z',
	score: 0,
	commentCount: 0,
	solved: false,
	mayEdit: false,
	mayDelete: false,
}

const states: QuestionCardView[] = [
	usual,
	{
		...usual,
		id: 2,
		title: 'Solved, and one’s own',
		solved: true,
		score: 12,
		commentCount: 7,
		mayEdit: true,
		mayDelete: true,
	},
	{
		...usual,
		id: 3,
		title: 'Found by a comment',
		commentMatch: { url: '/forum/comment/1', author: 'Bram Oystergate', html: 'It is the <mark>second</mark> render.' },
	},
	{
		...usual,
		id: 4,
		title: 'x'.repeat(120),
		excerpt: 'y'.repeat(400),
		tags: ['a-very-long-name-of-a-tag', 'b', 'c', 'd'],
	},
]

/** A question of a list in each state. */
export default function QuestionPreviews() {
	return (
		<section className="mt-8">
			<SectionHeading title="Questions of a list" />
			<div>
				{states.map((question) => (
					<QuestionCard key={question.id} question={question} />
				))}
			</div>
		</section>
	)
}
