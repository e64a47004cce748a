// Statements of a pipeline file -> the operations of one role, every duration rounded once.
#pragma once

#include "warpline/pipeline/condition.hpp"
#include "warpline/pipeline/declarations.hpp"
#include "warpline/pipeline/storage_plan.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace warpline {

class RoleLowering;

/// A kind of statement: what its keyword is, which keys it may have, and what lowers it.
struct StatementKind {
    std::string_view keyword;
    void (RoleLowering::*lower)(const YamlNode& node, const YamlNode& head);
    std::vector<std::string> keys;
    std::string what;  ///< the keyword as errors quote it
};

/// What a statement says whoever comes to it: copies of roles, unrolled statements and calls come
/// to the same ones again and again.
struct StatementForm {
    const StatementKind* kind = nullptr;  ///< null: none of its keys is a keyword
    const YamlNode* head = nullptr;       ///< the keyword's value
    const YamlNode* condition = nullptr;  ///< of a statement that is no `when` itself
    bool keys_checked = false;
};

/// What the roles of one kernel share while they are lowered.
struct LoweringContext {
    const GpuSpec& spec;
    const AttentionProblem& problem;
    const Declarations& declarations;
    ValueReader& reader;
    MmaPath path = MmaPath::mma_sync;  ///< of `async: mma`, from the file's `requires`
    std::vector<InstructionKind> instructions = {};  ///< those used, in order of first use
    std::map<std::string, int, std::less<>> instruction_index = {};
    std::unordered_map<const YamlNode*, StatementForm> forms = {};
    std::set<const Buffer*> used_buffers = {};
    std::vector<BufferTouch> touches = {};  ///< the role is filled in by lower_role()'s caller
};

/// The role with its program. Problems go to the context's reader.
[[nodiscard]] Role lower_role(LoweringContext& context, const DeclaredRole& declared);

/// The kind of MMA that `async: mma` means, from the file's `requires`.
[[nodiscard]] MmaPath mma_path_of(const YamlNode& root);

/// A place that names something with indices: kv[slot], s_full[0].
struct Reference {
    struct Index {
        std::string_view text;
        std::size_t offset = 0;  ///< in the node's scalar
    };
    /// Those of a copy and of a slot, and one more where there are too many.
    class Indices {
      public:
        [[nodiscard]] std::size_t size() const { return size_; }
        [[nodiscard]] bool empty() const { return size_ == 0; }
        [[nodiscard]] const Index& operator[](std::size_t i) const { return kept_[i]; }
        void push_back(const Index& index) {
            if (size_ < kept_.size()) {
                kept_[size_++] = index;
            }
        }

      private:
        std::array<Index, 3> kept_;
        std::size_t size_ = 0;
    };
    std::string_view name;
    std::size_t offset = 0;
    Indices indices;
};

/// Splits "name[a][b]"; nothing when the text is not of that form.
[[nodiscard]] std::optional<Reference> parse_reference(std::string_view text);

/// Lowers one role. Its members are grouped by file: lower_control.cpp (statements, loops,
/// conditions), lower_paste.cpp (unrolling, procedures, labels), references.cpp (names and
/// indices), lower_sync.cpp (barriers, rings, groups), lower_work.cpp (instructions),
/// lower_async.cpp, lower_mma.cpp, lower_copy.cpp, lower_storage.cpp (buffers touched) and
/// buffer_bounds.cpp (what they hold).
class RoleLowering {
  public:
    RoleLowering(LoweringContext& context, const DeclaredRole& declared);
    [[nodiscard]] Role run();

  private:
    /// Statements of one role, once procedures and unrolled statements are written out.
    static constexpr std::int64_t most_statements = 50'000;

    struct Handle {
        int index = 0;
        int ring = 0;
        int copy = 0;  ///< of a ring whose barriers have copies
    };
    struct CopyEnd {
        Space space = Space::global;
        const Buffer* buffer = nullptr;
    };
    /// Asynchronous operations of one class.
    struct OpClass {
        std::string name;
        bool launched = false;
        const YamlNode* awaited = nullptr;  ///< where first; null: nowhere
    };
    using Body = std::function<void()>;
    static std::vector<StatementKind> with_common_keys(std::vector<StatementKind> kinds);
    static const std::vector<StatementKind>& statements();
    /// The statement that a keyword of the node names, of several the first of statements(); null:
    /// none.
    static const StatementKind* kind_of(const YamlNode& node);

    // Control.
    void block(const YamlNode* list, const YamlNode& parent);
    void statement(const YamlNode& node);
    void unknown_statement(const YamlNode& node);
    [[nodiscard]] StatementForm& form_of(const YamlNode& node);
    void plain(const YamlNode& node, StatementForm& form);
    void choose(const YamlNode& when, const Body& then, const Body& otherwise);
    void choose_at_run_time(const Condition& condition, const YamlNode& when, const Body& then,
                            const Body& otherwise);
    void dead(const Body& body);
    void loop(const YamlNode& node, const YamlNode& head);
    void tile_loop(const YamlNode& node, const YamlNode& head);
    void when(const YamlNode& node, const YamlNode& head);
    void unroll(const YamlNode& node, const YamlNode& head);
    void call(const YamlNode& node, const YamlNode& head);
    void emit(OpBody body, const YamlNode& node, std::string default_label = {});
    /// Whether an operation of the statement is called what default_label of emit() says. Nobody
    /// sees the labels of what never runs.
    [[nodiscard]] bool wants_default_label(const YamlNode& node) const;
    [[nodiscard]] std::string label_of(const YamlNode& node, std::string default_label);
    [[nodiscard]] bool too_long(const YamlNode& node);

    // Names and references.
    struct Bindings;
    /// What stands for the name meanwhile, or null.
    [[nodiscard]] const std::string_view* alias_of(std::string_view name) const;
    [[nodiscard]] std::string_view resolved(std::string_view name) const;
    [[nodiscard]] std::optional<std::string> name_of(const YamlNode& head, std::string_view what);
    [[nodiscard]] std::optional<Reference> reference(const YamlNode& node, std::string_view what);
    [[nodiscard]] std::optional<int> copy_index(const YamlNode& node, const Reference::Index& index,
                                                std::string_view name, std::int64_t copies);
    [[nodiscard]] const Handle* handle(const YamlNode& node, const Reference::Index& index);
    [[nodiscard]] std::optional<BarrierRef> barrier(const YamlNode& node);
    [[nodiscard]] bool barrier_handle(const YamlNode& node, const Reference& parsed,
                                      const DeclaredBarrier& declared, BarrierRef& result);
    [[nodiscard]] const Buffer* buffer(const YamlNode& node, std::string_view text,
                                       std::size_t offset);
    [[nodiscard]] At at_of(const YamlNode& node);
    [[nodiscard]] int op_class(std::string_view name, const YamlNode& where, bool launches);
    [[nodiscard]] std::optional<int> class_of(const YamlNode& node, bool launches);
    void unknown(const YamlNode& node, std::size_t offset, std::string_view kind,
                 std::string_view name, const std::vector<std::string>& candidates);
    void check_classes();

    // Synchronisation.
    void commit(const YamlNode& node, const YamlNode& head);
    void drain(const YamlNode& node, const YamlNode& head);
    void arrive(const YamlNode& node, const YamlNode& head);
    void wait(const YamlNode& node, const YamlNode& head);
    void sync(const YamlNode& node, const YamlNode& head);
    void take(const YamlNode& node, const YamlNode& head);
    void turn(const YamlNode& node, const YamlNode& head);
    void pass_turn(const YamlNode& node, const YamlNode& head);
    [[nodiscard]] Tick turn_cycles(const YamlNode& node, const char* key);
    void producer_acquire(const YamlNode& node, const YamlNode& head);
    void producer_commit(const YamlNode& node, const YamlNode& head);
    void consumer_wait(const YamlNode& node, const YamlNode& head);
    void consumer_release(const YamlNode& node, const YamlNode& head);
    void acquire(const YamlNode& node, const YamlNode& head, std::string_view suffix);
    void release(const YamlNode& node, const YamlNode& head, std::string_view suffix);
    void emit_arrive(const YamlNode& node, const BarrierRef& on);
    [[nodiscard]] std::vector<Handle> take_handles(const YamlNode& node, const YamlNode& head);
    [[nodiscard]] std::optional<BarrierRef> ring_barrier(const YamlNode& node, const Handle& slot,
                                                         std::string_view suffix);

    // Work.
    void issue(const YamlNode& node, const YamlNode& head);
    void interleave(const YamlNode& node, const YamlNode& head);
    [[nodiscard]] bool results_needed(const YamlNode& node);
    [[nodiscard]] std::optional<IssuePart> issue_part(const YamlNode& node);
    void async(const YamlNode& node, const YamlNode& head);
    void mma(const YamlNode& node);
    void tmem(const YamlNode& node, bool store);
    void copy(const YamlNode& node, bool reduce);
    /// Called "verb object" where it has no label.
    void emit_async(const YamlNode& node, std::variant<MmaOp, TmemOp, CopyOp> work,
                    std::string_view verb, std::string_view object);
    void note_touches(const YamlNode& node, int op);
    [[nodiscard]] std::optional<BufferSpace> operand(const YamlNode& node, const char* key);
    [[nodiscard]] bool operands_legal(const YamlNode& node, BufferSpace a, BufferSpace b,
                                      BufferSpace d);
    [[nodiscard]] std::optional<MmaOp> mma_op(const YamlNode& node, BufferSpace a);
    [[nodiscard]] std::optional<DType> dtype_of(const YamlNode& node);

    // What a buffer holds.
    /// Rows, columns and K of a chain of MMAs, in one CTA or two together.
    struct ChainShape {
        std::int64_t m = 0, n = 0, k = 0;
        double element_bytes = 0.0;
        int ctas = 1;
    };
    /// The buffer that a key of the statement names, in this CTA or another; null: none.
    [[nodiscard]] const Buffer* buffer_at(const YamlNode& node, const char* key) const;
    /// By how much the amount is more than a stage of that buffer holds.
    [[nodiscard]] std::int64_t excess(const YamlNode& node, const char* key,
                                      std::int64_t amount) const;
    void refuse_excess(const YamlNode& node, const char* key, std::int64_t amount,
                       std::string_view what);
    void check_copy_bounds(const YamlNode& node, std::int64_t bytes);
    void check_tmem_bounds(const YamlNode& node, const char* key, std::int64_t columns);
    void check_mma_bounds(const YamlNode& node, const ChainShape& shape);

    [[nodiscard]] std::optional<CopyEnd> copy_end(const YamlNode& node, const char* key);
    [[nodiscard]] bool copy_legal(const YamlNode& node, const CopyOp& op);
    [[nodiscard]] std::optional<std::int64_t> copy_bytes(const YamlNode& node, const CopyEnd& from,
                                                         const CopyEnd& to);
    [[nodiscard]] std::optional<std::int64_t> required(const YamlNode& node, const char* key,
                                                       std::int64_t low, std::int64_t high);
    [[nodiscard]] std::int64_t optional_integer(const YamlNode& node, const char* key,
                                                std::int64_t otherwise, std::int64_t low,
                                                std::int64_t high);
    void infeasible(const SourceLocation& where, std::string message, std::string hint = {});

    LoweringContext& context_;
    const DeclaredRole& declared_;
    ValueReader& reader_;
    DiagnosticSink& input_;
    Program program_;
    std::map<std::string, Handle, std::less<>> handles_;
    int handle_count_ = 0;
    std::vector<std::pair<std::string_view, std::string_view>> aliases_;
    std::vector<OpClass> classes_;
    std::vector<LoopBegin::Over> loops_;  ///< those around the statement being lowered
    std::vector<std::string> calls_;      ///< procedures being pasted
    bool has_tile_loop_ = false;
    bool check_keys_ = false;  ///< of the statement being lowered: nobody came to it before
    std::int64_t statements_lowered_ = 0;
};

}  // namespace warpline
