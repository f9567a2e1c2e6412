import { registerSubjects } from './moderation/subjects.server.ts'
import { profileSubject } from './profiles/profiles.subjects.server.ts'
import { commentSubject, querySubject } from './questions/questions.subjects.server.ts'

/** What can be reported and decided about. A feature whose content members see adds its types here. */
registerSubjects([querySubject, commentSubject, profileSubject])
