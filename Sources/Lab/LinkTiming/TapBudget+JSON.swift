extension TapBudget: Encodable {
  private enum CodingKeys: String, CodingKey {
    case label, links, rows, whole, limits, improvements, constants
    case largestPart = "largest_part"
  }

  /// Writes the budget with the constants on which it rests.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(Self.label, forKey: .label)
    try container.encode(chain.description, forKey: .links)
    try container.encode(rows, forKey: .rows)
    try container.encode(wholeRow, forKey: .whole)
    try container.encode(largestPart.rawValue, forKey: .largestPart)
    try container.encode(limits, forKey: .limits)
    try container.encode(improvements, forKey: .improvements)
    try container.encode(LinkConstants.all, forKey: .constants)
  }
}

extension TapBudget.Row: Encodable {
  private enum CodingKeys: String, CodingKey {
    case name, whole
  }

  /// Writes the parts beside the name.
  public func encode(to encoder: any Encoder) throws {
    try parts.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(name, forKey: .name)
    try container.encode(parts.whole, forKey: .whole)
  }
}

extension TapLimit: Encodable {
  private enum CodingKeys: String, CodingKey {
    case name, time, verdict
    case limit = "limit_ns"
  }

  /// Writes the limit with its verdict.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(name, forKey: .name)
    try container.encode(limit, forKey: .limit)
    try container.encode(time, forKey: .time)
    try container.encode(verdict.rawValue, forKey: .verdict)
  }
}

extension BudgetComparison: Encodable {
  private enum CodingKeys: String, CodingKey {
    case exchanges, farthest
  }

  /// Writes each exchange, and the number of the one that differs most.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(rows, forKey: .exchanges)
    try container.encodeIfPresent(farthest?.number, forKey: .farthest)
  }
}

extension BudgetComparison.Row: Encodable {
  private enum CodingKeys: String, CodingKey {
    case number, name, model
    case measured = "recorded_ns"
    case excess = "difference_ns"
  }

  /// Writes the model beside the recorded time.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(number, forKey: .number)
    try container.encode(name, forKey: .name)
    try container.encode(model, forKey: .model)
    try container.encodeIfPresent(measured, forKey: .measured)
    try container.encode(excess, forKey: .excess)
  }
}
