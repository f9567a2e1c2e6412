import type { QuestionCardView } from '~/features/questions/question.view.ts'

/** A question that its reader follows. */
export interface FollowedQuestionView extends QuestionCardView {
	/** When its last comment was written, or when it was asked; ISO 8601. */
	activeAt: string
}
