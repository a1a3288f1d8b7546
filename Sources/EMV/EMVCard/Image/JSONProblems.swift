internal import JSON

/// All problems of a profile.
struct JSONProblems: Error {
  let problems: [JSONProblem]

  init(_ problems: [JSONProblem]) { self.problems = problems }
}
