// The shape of a profile: which keys there are and what stands behind them. Unknown keys are problems too: a limit
// whose name is misspelt would otherwise be no limit.
indirect enum ProfileShape {
  case text
  case integer
  case flag
  case list(ProfileShape)
  case object([Field])

  struct Field {
    let key: String
    let shape: ProfileShape
    let isRequired: Bool

    static func required(_ key: String, _ shape: ProfileShape) -> Field {
      Field(key: key, shape: shape, isRequired: true)
    }

    static func optional(_ key: String, _ shape: ProfileShape) -> Field {
      Field(key: key, shape: shape, isRequired: false)
    }
  }

  static var profile: ProfileShape {
    .object([
      .required("name", .text), .required("countryCode", .text), .required("terminalType", .text),
      .required("capabilities", .text), .optional("additionalCapabilities", .text), .required("merchant", merchant),
      .required("currencies", .list(money)), .required("applications", .list(application)),
    ])
  }

  private static var merchant: ProfileShape {
    .object([
      .required("name", .text), .required("categoryCode", .text), .optional("identifier", .text),
      .optional("terminalIdentifier", .text),
    ])
  }

  private static var money: ProfileShape {
    .object([.required("code", .text), .required("name", .text), .required("exponent", .integer)])
  }

  private static var application: ProfileShape {
    .object([
      .required("name", .text), .required("aids", .list(.text)), .required("kernel", .integer),
      .optional("qualifiers", .text), .optional("kernel2", kernel2), .optional("zeroAmountAllowed", .flag),
      .optional("statusCheck", .flag), .optional("extendedSelection", .flag), .required("limits", .list(limits)),
    ])
  }

  private static var limits: ProfileShape {
    .object([
      .required("currency", .text), .optional("transaction", .text), .optional("transactionOnDevice", .text),
      .optional("cvmRequired", .text), .optional("floor", .text),
    ])
  }

  /// What stands in for a value that is missing or of the wrong kind, so that the rest can still be checked.
  var substitute: JSONValue {
    switch self {
    case .text: .text("")
    case .integer: .integer(0)
    case .flag: .flag(false)
    case .list: .list([])
    case .object(let fields):
      .object(
        Dictionary(uniqueKeysWithValues: fields.filter(\.isRequired).map { ($0.key, $0.shape.substitute) }))
    }
  }

  var kind: String {
    switch self {
    case .text: "text"
    case .integer: "a whole number"
    case .flag: "true or false"
    case .list: "a list"
    case .object: "an object"
    }
  }

  /// Looks at a value, notes every problem and gives a value that has this shape.
  func fit(_ value: JSONValue, at path: String, _ problems: inout [TerminalProfileError.Problem]) -> JSONValue {
    switch (self, value) {
    case (.text, .text), (.integer, .integer), (.flag, .flag): return value
    case (.list(let element), .list(let values)):
      return .list(values.indices.map { element.fit(values[$0], at: "\(path)[\($0)]", &problems) })
    case (.object(let fields), .object(let members)): return Self.fit(members, to: fields, at: path, &problems)
    default:
      problems.append(.init(path: path, reason: "\(value.kind) stands where \(kind) is needed"))
      return substitute
    }
  }

  private static func fit(
    _ members: [String: JSONValue], to fields: [Field], at path: String,
    _ problems: inout [TerminalProfileError.Problem]
  ) -> JSONValue {
    var fitted: [String: JSONValue] = [:]
    for field in fields {
      if let member = members[field.key], field.isRequired || member != .null {
        fitted[field.key] = field.shape.fit(member, at: "\(path).\(field.key)", &problems)
      } else if field.isRequired {
        problems.append(.init(path: "\(path).\(field.key)", reason: "\(field.shape.kind) is missing"))
        fitted[field.key] = field.shape.substitute
      }
    }
    let known = fields.map(\.key)
    for key in members.keys.sorted() where !known.contains(key) {
      let names = known.joined(separator: ", ")
      problems.append(.init(path: "\(path).\(key)", reason: "no such key; there are \(names)"))
    }
    return .object(fitted)
  }
}
