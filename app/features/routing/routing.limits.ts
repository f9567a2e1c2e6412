/* Who is asked, how many, and how often; docs/decisions/0069-questions-that-reach-people.md says why. */

/** Members who are asked in one round about one question, at most. */
export const MAX_ASKED_A_ROUND = 3
/** Rounds of one question: at once, and once more if nobody answers. A third one would take from the next questions. */
export const MAX_ROUNDS = 2
/** So long after the first round the second one comes, in seconds. */
export const WIDEN_AFTER_SECONDS = 30 * 60
/** A member is asked so often in any seven days, at most. */
export const MAX_ASKED_A_WEEK = 2
/** Members whom a round considers, the best first: those who were asked elsewhere meanwhile are ignored. */
export const MAX_CONSIDERED = 20
/** Of so many questions in a hundred nobody is told, by chance, so that they show what asking gains. */
export const LEFT_OUT_PERCENT = 20

/**
 * How well a member knows a tag: a listed skill counts {@link LISTED}, its evidence as much as its strength, at most
 * {@link MAX_STRENGTH}; a skill that is a part of the tag's term, or that it is a part of, counts {@link RELATED_SHARE} of that. Each
 * question answered under the tag adds {@link PER_ANSWER}, at most {@link MAX_FROM_ANSWERS}. Each “not me” halves it, and weighs half
 * after {@link DECLINE_HALF_LIFE_DAYS}.
 */
export const LISTED = 1
export const MAX_STRENGTH = 6
export const RELATED_SHARE = 0.5
export const PER_ANSWER = 0.5
export const MAX_FROM_ANSWERS = 3
export const DECLINE_HALF_LIFE_DAYS = 90
/** Who knows none of the tags so well is not asked. */
export const MIN_FIT = 1
/** What the fit of a member is multiplied with, by when they were last on the site. Who hides that counts as seen this week. */
export const PRESENCE = { online: 1, today: 0.8, week: 0.5, longAgo: 0.2 } as const
/** Of each tag so many of its newest questions say who answers there. */
export const MAX_RECENT_QUESTIONS = 50
/** Of so many members, those who know the most, it is asked when they were here, how often they were asked and what they declined. */
export const MAX_WEIGHED = 400

/** Questions on one page of what a member can answer. */
export const ANSWERABLE_PER_PAGE = 20
/** Entries of the feed of that. */
export const FEED_ENTRIES = 20
/** Tags that a member knows best, and of each so many of the newest open questions, are looked through. */
export const MAX_KNOWN_TAGS = 60
export const MAX_OPEN_PER_TAG = 50
/** To know twice as much of a question counts as if it were so many days newer; so does being the first to answer. */
export const FIT_DAYS = 3

/** Days that the comparison looks back on; the last day is left out, as its questions may still be answered within it. */
export const COMPARED_DAYS = 90
/** With fewer questions on either side nothing is concluded. */
export const MIN_COMPARED = 30
