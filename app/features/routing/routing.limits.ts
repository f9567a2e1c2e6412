/* Who is asked, how many, and how often; docs/decisions/0069-questions-that-reach-people.md explains the numbers. */

/** Members asked in one round. */
export const MAX_ASKED_PER_ROUND = 3
/** Rounds per question: at once, and once more without an answer. A third one would exhaust members who are needed for later questions. */
export const MAX_ROUNDS = 2
/** Delay of the second round, in seconds. */
export const SECOND_ROUND_DELAY_SECONDS = 30 * 60
/** How often a member is asked in any seven days. */
export const MAX_ASKED_PER_WEEK = 2
/** Candidates per round: more than are asked, as some may be asked elsewhere meanwhile. */
export const MAX_CONSIDERED = 20
/** The percentage of questions in the control group, about which nobody is asked. */
export const LEFT_OUT_PERCENT = 20

/**
 * The weights of knowledge about a tag: a listed skill counts {@link LISTED_SKILL_WEIGHT}, plus the strength of its evidence, at most {@link
 * MAX_STRENGTH}; child and parent terms of the tag's term count {@link RELATED_SHARE} of that. Each question answered with the tag adds
 * {@link ANSWER_WEIGHT}, at most {@link MAX_FROM_ANSWERS}. Each “not me” halves the sum; its effect decays with a half-life of {@link
 * DECLINE_HALF_LIFE_DAYS}.
 */
export const LISTED_SKILL_WEIGHT = 1
export const MAX_STRENGTH = 6
export const RELATED_SHARE = 0.5
export const ANSWER_WEIGHT = 0.5
export const MAX_FROM_ANSWERS = 3
export const DECLINE_HALF_LIFE_DAYS = 90
/** The minimum knowledge of one of the tags. */
export const MIN_FIT = 1
/** Factors by when a member was last online. Members who hide that count as seen this week. */
export const PRESENCE_FACTORS = { online: 1, today: 0.8, week: 0.5, longAgo: 0.2 } as const
/** The newest questions of each tag that are searched for members who answered. */
export const MAX_RECENT_QUESTIONS = 50
/** The newest answers of a member that show what they can answer. */
export const MAX_RECENT_ANSWERS = 200
/** The members with the most knowledge, for whom presence, earlier asks and “not me” are read. */
export const MAX_WEIGHED = 400

/** Questions on one page of what a member can answer. */
export const ANSWERABLE_PER_PAGE = 20
/** Entries of the feed of these questions. */
export const FEED_ENTRIES = 20
/** The tags that a member knows best are searched, this many of the newest open questions of each. */
export const MAX_KNOWN_TAGS = 60
export const MAX_OPEN_PER_TAG = 50
/** A question of which the member knows twice as much counts as if it were this many days newer; so does one without answers. */
export const FIT_DAYS = 3

/** Days that the comparison looks back on; the last day is left out, as its questions may still be answered within it. */
export const COMPARED_DAYS = 90
/** With fewer questions on either side nothing is concluded. */
export const MIN_COMPARED = 30
