public import EMVData
internal import Octets

// The prepared responses, the tracks and the profile hold account numbers.

extension CardImage: ContentConcealing {
  /// The name and the number of applications.
  public var description: String { "card image \"\(name)\", applications: \(applications.count)" }
}

extension CardImage.Application: ContentConcealing {
  /// The application identifier, the label and the masked account number.
  public var description: String { "application \(aid) \"\(label)\" of \(accountNumber)" }
}

extension ApplicationRecord: ContentConcealing {
  /// The place of the record and the number of its data objects.
  public var description: String { "SFI \(sfi) record \(number), data objects: \(objects.count)" }
}

extension ApplicationBuilder: ContentConcealing {
  /// The numbers of records and programs.
  public var description: String { "application builder, records: \(records.count), commands: \(commands.count)" }
}

extension CommandProgram.Answer: ContentConcealing {
  /// The numbers of bytes and fills.
  public var description: String { "answer of \(data.count.bytes), fills: \(fills.count)" }
}
