// muParser with the operators and functions of pipeline files, and no others.
#pragma once

#include "warpline/pipeline/expression.hpp"

#include <string>
#include <string_view>
#include <vector>

#include <muParserBase.h>

namespace warpline {

inline constexpr std::string_view capability_function = "has";

/// All that an expression may call; has() among them, which the parser itself does not know.
[[nodiscard]] const std::vector<std::string>& expression_functions();

/// One expression: parsed when it is evaluated for the first time, bytecode from then on.
class ExpressionParser final : private mu::ParserBase {
  public:
    /// `tokens`: those of `text`.
    ExpressionParser(const std::string& text, const std::vector<Token>& tokens);

    /// Lets a name of the text stand for what is at `value`.
    void bind(const std::string& name, double& value) { DefineVar(name, &value); }
    [[nodiscard]] Evaluated<double> evaluate();

  private:
    void InitCharSets() override;
    void InitFun() override {}
    void InitConst() override {}
    void InitOprt() override;

    std::string text_;
};

}  // namespace warpline
